package admin_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestWebhooksAreLookedAfter(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	const webhook = "HOOK"
	for _, tenant := range []string{"north", "south"} {
		s.Process(s.Of(tenant, "initiator"), s.Definition(tenant))
		s.WebhookWithDeadDelivery(tenant, webhook)
	}
	endpoints := func(query string) []oasadmin.WebhookEndpoint {
		return apitest.Decode[oasadmin.WebhookEndpointPage](t, s.Get(200, s.As("administrator"), apitest.AdminAPI+"/webhooks"+query)).Content
	}
	found := endpoints("?code=" + webhook)
	require.Len(t, found, 1)
	require.Equal(t, oasadmin.WebhookEndpoint{
		ID: found[0].ID, Tenant: "north", Code: webhook, Name: "Of a cell", URL: "https://events.example/hook",
		PayloadVersion: oasadmin.WebhookPayloadVersionB, State: oasadmin.WebhookEndpointStateACTIVE, Dead: 1,
	}, found[0])
	require.Len(t, endpoints(""), 2)
	require.Equal(t, oasadmin.WebhookEndpointStateNOSECRET, endpoints("?code=EVENTS")[0].State)
	require.Len(t, apitest.Decode[oasadmin.WebhookEndpointPage](t, s.Get(200, s.Operator, apitest.AdminAPI+"/webhooks")).Content, 4)

	deliveries := func(query string) []oasadmin.WebhookDelivery {
		return apitest.Decode[oasadmin.WebhookDeliveryPage](t, s.Get(200, s.As("administrator"), apitest.AdminAPI+"/webhook-deliveries"+query)).Content
	}
	one := deliveries("")[0]
	require.Equal(t, oasadmin.WebhookDeliveryStateDEAD, one.State)
	require.Equal(t, 503, *one.LastStatus)
	for query, want := range map[string]int{
		"?eventId=" + one.EventID.String(): 1, "?processId=" + one.ProcessID.String(): 1, "?state=PENDING&state=DEAD": 1,
		"?webhook=EVENTS": 0, "?to=2020-01-01T00:00:00Z": 0, "?eventType=TASK.STATE_CHANGED": 0, "?state=DELIVERED": 0,
		"?tenant=south": 0,
	} {
		require.Len(t, deliveries(query), want, query)
	}
	log := apitest.Decode[oasadmin.WebhookDeliveryLog](t, s.Get(200, s.As("owner"), apitest.AdminAPI+"/webhook-deliveries/"+one.ID.String()))
	require.Equal(t, one, log.Delivery)
	status, failure, detail, answer := 503, "STATUS", "the answer was 503", "later"
	require.Equal(t, []oasadmin.WebhookAttempt{{
		Round: 1, Number: 1, At: one.CreatedAt, LatencyMillis: 12, Status: &status, Failure: &failure, Detail: &detail, Answer: &answer,
	}}, log.Attempts)

	again := apitest.Decode[oasadmin.WebhookDelivery](t, s.Post(200, s.As("owner"), apitest.AdminAPI+"/webhook-deliveries/"+one.ID.String()+"/~actions/replay", ""))
	require.Equal(t, oasadmin.WebhookDeliveryStatePENDING, again.State)
	require.Equal(t, 2, again.Round)
	require.EqualValues(t, 1, endpoints("?code=" + webhook)[0].Pending)
	replay := apitest.Decode[oasadmin.WebhookReplay](t, s.Post(200, s.Operator,
		apitest.AdminAPI+"/webhooks/"+webhook+"/~actions/replay-failed?tenant=south", `{"since":"2020-01-01T00:00:00Z"}`))
	require.Equal(t, oasadmin.WebhookReplay{Replayed: 1}, replay)
	s.Refused(400, "VALIDATION", s.Operator, http.MethodPost, apitest.AdminAPI+"/webhooks/"+webhook+"/~actions/ping", "")
}

// The URL of a subscription is checked when it is saved, and reported together
// with all other violations.
func TestApplyRefusesForbiddenWebhookURL(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	hook := func(code, url string) string {
		return apitest.Document("north", "WebhookSubscription", code, `{"name":"Hook","url":"`+url+`"}`)
	}
	failure := s.Refused(400, "VALIDATION", s.As("owner"), http.MethodPost, apitest.ApplyPath, apitest.Applying("",
		hook("A", "https://events.example/"), hook("B", "http://events.example/"), hook("C", "https://user:hunter2@events.example/"),
		hook("D", "https://events.example/#here"), hook("E", "/events"), hook("F", "https://169.254.169.254/latest"),
		hook("G", "http://localhost:9000/"), hook("H", "ftp://events.example/"),
	))
	got := failure.Errors
	require.Len(t, got, 7)
	for i, e := range got {
		require.Equal(t, "/documents/"+string(rune('1'+i))+"/spec/url", e.Location)
		require.NotContains(t, e.Message, "hunter2")
	}
	require.Equal(t, "must begin with https://", got[0].Message)
	require.Zero(t, s.Count(`SELECT count(*) FROM webhook_endpoints WHERE url LIKE '%events.example/'`))
}
