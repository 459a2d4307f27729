package resource_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

// rights returns the fields of each kind that decide about access; a kind without any has no entry.
func rights() map[resource.Kind][]string {
	return map[resource.Kind][]string{
		resource.KindTenant:        {"/directory", "/provisioning"},
		resource.KindUser:          {"/email", "/role", "/disabled", "/accessTokens", "/claimedGroups"},
		resource.KindApplication:   {"/role", "/disabled", "/secrets", "/engine/taskQueues"},
		resource.KindGroup:         {"/members"},
		resource.KindEncryptionKey: {"/shared"},
		resource.KindDataSource:    {"/taskQueue", "/runner", "/encryptionKey", "/permissions/queriers"},
		resource.KindCalendar:      {},
		resource.KindAbsence:       {"/user", "/substitute", "/from", "/until"},
		resource.KindProcessDefinition: {
			"/engine/workflowType", "/engine/taskQueue", "/engine/signalShape", "/engine/runner", "/engine/encryptionKey",
			"/items/*/escalation", "/items/*/fourEyesWith", "/items/*/robot", "/items/*/candidates", "/items/*/viewers",
			"/userActions/*/type", "/userActions/*/permissions", "/userActions/*/taskQueue", "/userActions/*/runner",
			"/permissions/initiators", "/permissions/viewers", "/permissions/managers", "/permissions/administrators", "/permissions/repairers",
		},
		resource.KindBusinessArtifactDefinition: {
			"/actions/*/taskQueue", "/actions/*/runner",
			"/permissions/viewers", "/permissions/editors", "/permissions/managers",
		},
		resource.KindWebhookSubscription:  {"/url", "/eventTypes", "/processDefinition"},
		resource.KindRobot:                {"/taskQueue", "/runner", "/permissions/viewers"},
		resource.KindNotificationReceiver: {"/type", "/eventTypes", "/addresses", "/url", "/webhookSubscription"},
	}
}

// A walk collects the rights of a type, and every field without the tag.
type walk struct {
	t     *testing.T
	found []string
}

func (w *walk) of(typ reflect.Type, place string) {
	for i := range typ.NumField() {
		field, at := typ.Field(i), place
		if !field.Anonymous {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			at += "/" + name
		}
		below, list := field.Type, false
		for below.Kind() == reflect.Pointer || below.Kind() == reflect.Slice {
			list = list || below.Kind() == reflect.Slice
			below = below.Elem()
		}
		before := len(w.found)
		switch answer := field.Tag.Get("right"); answer {
		case "yes":
			w.found = append(w.found, at)
			continue
		case "within", "no":
			if below.Kind() != reflect.Struct {
				require.Equal(w.t, "no", answer, "%s has no members that could be rights", at)
				continue
			}
			if list {
				at += "/*"
			}
			w.of(below, at)
			require.Equal(w.t, answer == "within", len(w.found) > before, "%s is marked %q", at, answer)
			if answer == "within" && list {
				_, ok := below.FieldByName("Code")
				require.True(w.t, ok, "%s has no code to match its entries by", at)
			}
		default:
			require.Fail(w.t, "a field does not say whether it is a right",
				`%s.%s (%s) needs the tag right:"yes", right:"no" or right:"within"`, typ, field.Name, at)
		}
	}
}

func TestEveryFieldSaysWhetherItIsARight(t *testing.T) {
	t.Parallel()
	for _, kind := range resource.Kinds() {
		w := &walk{t: t}
		w.of(specOf(t, kind), "")
		require.ElementsMatch(t, rights()[kind], w.found, kind)
	}
}

// The schemas state at each right of a process definition that its Administrators cannot change it.
func TestSchemasNameTheRightsOfAProcessDefinition(t *testing.T) {
	t.Parallel()
	root := schemaOf(t, resource.KindProcessDefinition)
	a := &agreement{t: t, defs: root.Defs, used: map[string]bool{}}
	for _, right := range rights()[resource.KindProcessDefinition] {
		at := a.resolve(root.Properties["spec"])
		named := at.Description
		for member := range strings.SplitSeq(strings.TrimPrefix(right, "/"), "/") {
			if member == "*" {
				at = a.resolve(at.Items)
				continue
			}
			require.NotNil(t, at.Properties[member], right)
			at = a.resolve(at.Properties[member])
			named += at.Description
		}
		require.Contains(t, named, "A right: Administrators of the definition cannot change it.", right)
	}
}

func TestChangedRight(t *testing.T) {
	t.Parallel()
	const (
		permissions = `"permissions":{"initiators":[{"user":"a"},{"group":"G"}]}`
		candidates  = `"candidates":[{"user":"a"}]`
		action      = `{"code":"A","name":"A","type":"START_WORKFLOW","permissions":["VIEWER","MANAGER"],"workflowType":"W","taskQueue":"Q"}`
		engine      = `"engine":{"workflowType":"W","taskQueue":"Q","runner":"r"}`
	)
	item := func(code, more string) string {
		return `{"code":"` + code + `","type":"TASK","name":"Name"` + more + `}`
	}
	spec := func(items, actions, more string) string {
		return `{"name":"N",` + more + permissions + `,"items":[` + items + `],"userActions":[` + actions + `]}`
	}
	before := spec(item("T", ","+candidates)+","+item("U", ""), action, "")
	for name, c := range map[string]struct{ before, after, pointer string }{
		"nothing":      {before, before, ""},
		"another name": {before, strings.ReplaceAll(before, "Name", "Other"), ""},
		"another order of grantees": {
			before, strings.Replace(before, `{"user":"a"},{"group":"G"}`, `{"group":"G"},{"user":"a"}`, 1), "",
		},
		"another order of permissions": {before, strings.Replace(before, `"VIEWER","MANAGER"`, `"MANAGER","VIEWER"`, 1), ""},
		"another order of items":       {before, spec(item("U", "")+","+item("T", ","+candidates), action, ""), ""},
		"a new item without rights":    {before, spec(item("T", ","+candidates)+","+item("V", ""), action, ""), ""},
		"another candidate": {
			before, strings.Replace(before, candidates, `"candidates":[{"user":"b"}]`, 1), "/spec/items/0/candidates",
		},
		"one candidate more": {
			before, strings.Replace(before, candidates, `"candidates":[{"user":"a"},{"user":"b"}]`, 1), "/spec/items/0/candidates",
		},
		"a viewer":              {before, spec(item("T", ","+candidates)+","+item("U", `,"viewers":[{"user":"b"}]`), action, ""), "/spec/items/1/viewers"},
		"a robot":               {before, spec(item("T", ","+candidates+`,"robot":{"code":"B","operation":"O"}`)+","+item("U", ""), action, ""), "/spec/items/0/robot"},
		"a new item with one":   {before, spec(item("T", ","+candidates)+","+item("U", "")+","+item("V", ","+candidates), action, ""), "/spec/items/2/candidates"},
		"an item gone":          {before, spec(item("U", ""), action, ""), "/spec/items"},
		"rights of another one": {before, spec(item("U", ","+candidates)+","+item("T", ""), action, ""), "/spec/items/0/candidates"},
		"permissions of actions": {
			before, strings.Replace(before, `"VIEWER",`, `"INITIATOR",`, 1), "/spec/userActions/0/permissions",
		},
		"a type of actions": {
			before, strings.Replace(strings.Replace(before, "START_WORKFLOW", "DOWNLOADABLE", 1), `"VIEWER",`, "", 1),
			"/spec/userActions/0/type",
		},
		"a queue of an action": {before, strings.Replace(before, `"taskQueue":"Q"`, `"taskQueue":"R"`, 1), "/spec/userActions/0/taskQueue"},
		"a new action":         {spec("", "", ""), spec("", action, ""), "/spec/userActions/0/type"},
		"an action gone":       {before, spec(item("T", ","+candidates)+","+item("U", ""), "", ""), "/spec/userActions"},
		"an engine":            {before, strings.Replace(before, `"permissions":{`, engine+`,"permissions":{`, 1), "/spec/engine/workflowType"},
		"a runner":             {spec("", "", engine+","), spec("", "", strings.Replace(engine, `"r"`, `"s"`, 1)+","), "/spec/engine/runner"},
		"an initiator":         {before, strings.Replace(before, `{"group":"G"}`, `{"group":"H"}`, 1), "/spec/permissions/initiators"},
		"an initiator less":    {before, strings.Replace(before, `,{"group":"G"}`, ``, 1), "/spec/permissions/initiators"},
	} {
		pointer, changed := resource.ChangedRight(
			decodeOne(t, resource.KindProcessDefinition, c.before).Spec, decodeOne(t, resource.KindProcessDefinition, c.after).Spec)
		require.Equal(t, c.pointer, pointer, name)
		require.Equal(t, c.pointer != "", changed, name)
	}
}
