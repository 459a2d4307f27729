package administration_test

import (
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// describeRights returns the rights that match a filter as "holder right item reason".
func (c *configured) describeRights(call domain.Call, filter administration.RightFilter) []string {
	c.t.Helper()
	filter.Tenant = "north"
	report, err := c.FindRights(c.t.Context(), call, filter)
	require.NoError(c.t, err)
	lines := []string{}
	require.NoError(c.t, report.Each(func(e *administration.RightEntry) error {
		words := []string{e.HolderCode, e.May, e.Item, e.Because, e.Group, string(e.Role)}
		lines = append(lines, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
		return nil
	}))
	return lines
}

func TestRightsHaveReasons(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	owner := c.caller("north", "olga", domain.RoleOwner)
	all := []string{
		"anna administer the tenant ADMINISTRATOR", "olga own the tenant OWNER",
		"ines start processes", "worker start processes run the workflow", "worker see processes run the workflow",
		"worker manage processes run the workflow", "ada change the definition",
		"carl claim CHECK CLERKS", "carl see CHECK claim CLERKS", "worker see CHECK run the workflow",
	}
	require.Equal(t, all, c.describeRights(owner, administration.RightFilter{}))
	require.Equal(t, all[2:], c.describeRights(c.caller("north", "ada", domain.RoleMember), administration.RightFilter{}), "an administrator of CLAIM")
	for name, row := range map[string]struct {
		filter administration.RightFilter
		want   []string
	}{
		"code":       {administration.RightFilter{Person: "CARL"}, all[7:9]},
		"email":      {administration.RightFilter{Person: "Ines@north.example"}, all[2:3]},
		"group":      {administration.RightFilter{Group: "CLERKS"}, all[7:9]},
		"right":      {administration.RightFilter{May: resource.MayClaim}, all[7:8]},
		"kind":       {administration.RightFilter{Kind: resource.KindTenant}, all[:2]},
		"resource":   {administration.RightFilter{Resource: "claim"}, all[2:]},
		"none":       {administration.RightFilter{Resource: "OTHER"}, []string{}},
		"two filter": {administration.RightFilter{Person: "carl", May: resource.MaySee}, all[8:9]},
	} {
		require.Equal(t, row.want, c.describeRights(owner, row.filter), name)
	}

	before := time.Now()
	c.apply(system(), document("Group", "north", "CLERKS", `{"name":"Clerks","members":[{"user":"ines"}]}`))
	require.Equal(t, []string{"ines start processes", "ines claim CHECK CLERKS", "ines see CHECK claim CLERKS"},
		c.describeRights(owner, administration.RightFilter{Person: "ines"}))
	require.Equal(t, all, c.describeRights(owner, administration.RightFilter{At: &before}))

	page := domain.PageRequest{Size: 4, Number: 2}
	report, err := c.FindRights(t.Context(), owner, administration.RightFilter{At: &before})
	require.NoError(t, err)
	found := report.Page(page)
	require.Equal(t, int64(len(all)), found.Total)
	require.Len(t, found.Items, 2)
}

func TestRightsAsCSV(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	c.apply(system(), document("User", "north", "carl", `{"name":"=HYPERLINK(\"https://evil.example\"), \"C\"","email":"carl@north.example","role":"MEMBER"}`))
	report, err := c.FindRights(t.Context(), c.caller("north", "olga", domain.RoleOwner), administration.RightFilter{Person: "carl"})
	require.NoError(t, err)
	require.NoError(t, report.CheckSize())
	var file strings.Builder
	require.NoError(t, report.WriteCSV(&file))
	require.Equal(t, 3, strings.Count(file.String(), "\r\n"))
	rows, err := csv.NewReader(strings.NewReader(file.String())).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "right", rows[0][4])
	require.Equal(t, []string{"north", "ProcessDefinition", "CLAIM", "Claim", "claim", "CHECK", "User", "carl"}, rows[1][:8])
	require.Equal(t, `'=HYPERLINK("https://evil.example"), "C"`, rows[1][9])
	require.Equal(t, []string{"carl@north.example", "CLERKS", "Clerks", "", ""}, rows[1][10:15])
}

func TestRightsAreRefused(t *testing.T) {
	t.Parallel()
	c := newConfigured(t)
	owner, early, late := c.caller("north", "olga", domain.RoleOwner), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for name, row := range map[string]struct {
		call   domain.Call
		filter administration.RightFilter
		code   domain.Code
	}{
		"another tenant":     {owner, administration.RightFilter{Tenant: "south"}, domain.CodeNotFound},
		"unknown right":      {owner, administration.RightFilter{May: "claims"}, domain.CodeValidation},
		"before the history": {owner, administration.RightFilter{At: &early}, domain.CodeValidation},
		"in the future":      {owner, administration.RightFilter{At: &late}, domain.CodeValidation},
		"several tenants":    {system(), administration.RightFilter{}, domain.CodeValidation},
	} {
		_, err := c.FindRights(t.Context(), row.call, row.filter)
		require.True(t, domain.HasCode(err, row.code), "%s: %v", name, err)
	}
}
