package scim

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func users() patcher {
	return patcher{uri: userSchema, attributes: append(userAttributes(), externalID())}
}

func groups() patcher {
	return patcher{uri: groupSchema, attributes: append(groupAttributes(), externalID())}
}

func decodeObject(t *testing.T, text string) object {
	t.Helper()
	var o object
	require.NoError(t, json.Unmarshal([]byte(text), &o))
	return o
}

func TestPatch(t *testing.T) {
	t.Parallel()
	const ana = `{"userName":"ana","name":{"givenName":"Ana","familyName":"Doe"},"active":true,"emails":[{"value":"a@x.example","type":"work"}]}`
	const clerks = `{"displayName":"Clerks","members":[{"value":"1"},{"value":"2"}]}`
	for name, c := range map[string]struct{ before, operations, after string }{
		"add a part":             {ana, `[{"op":"add","path":"name.formatted","value":"Ana Doe"}]`, `{"userName":"ana","name":{"givenName":"Ana","familyName":"Doe","formatted":"Ana Doe"},"active":true,"emails":[{"value":"a@x.example","type":"work"}]}`},
		"without path":           {ana, `[{"op":"Replace","value":{"ACTIVE":"False","name.givenName":"A","urn:ietf:params:scim:schemas:core:2.0:User:displayName":"X"}}]`, `{"userName":"ana","displayName":"X","name":{"givenName":"A","familyName":"Doe"},"active":false,"emails":[{"value":"a@x.example","type":"work"}]}`},
		"remove all parts":       {ana, `[{"op":"remove","path":"name.givenName"},{"op":"remove","path":"name.familyName"}]`, `{"userName":"ana","active":true,"emails":[{"value":"a@x.example","type":"work"}]}`},
		"write a filtered value": {ana, `[{"op":"replace","path":"emails[type eq \"work\"].value","value":"b@x.example"}]`, `{"userName":"ana","name":{"givenName":"Ana","familyName":"Doe"},"active":true,"emails":[{"value":"b@x.example","type":"work"}]}`},
		"ignore foreign":         {ana, `[{"op":"add","path":"title","value":"Boss"}]`, ana},
		"add members once":       {clerks, `[{"op":"add","path":"members","value":[{"value":"2"},{"value":"3"}]}]`, `{"displayName":"Clerks","members":[{"value":"1"},{"value":"2"},{"value":"3"}]}`},
		"remove by filter":       {clerks, `[{"op":"remove","path":"members[value eq \"1\"]"}]`, `{"displayName":"Clerks","members":[{"value":"2"}]}`},
		"remove listed":          {clerks, `[{"op":"Remove","path":"members","value":[{"value":"2"}]}]`, `{"displayName":"Clerks","members":[{"value":"1"}]}`},
		"remove all":             {clerks, `[{"op":"remove","path":"members"}]`, `{"displayName":"Clerks"}`},
		"replace members":        {clerks, `[{"op":"replace","path":"members","value":[{"value":"9"}]}]`, `{"displayName":"Clerks","members":[{"value":"9"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, before := users(), decodeObject(t, c.before)
			if before["displayName"] == "Clerks" {
				p = groups()
			}
			var operations []patchOperation
			require.NoError(t, json.Unmarshal([]byte(c.operations), &operations))
			after, err := p.applyAll(before, operations)
			require.NoError(t, err)
			require.Equal(t, decodeObject(t, c.after), after)
			require.Equal(t, decodeObject(t, c.before), before, "the resource itself must not change")
		})
	}
}

// Random operations add and remove members like elements of a set.
func TestPatchOfMembersIsASet(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		current, model := object{"displayName": "Clerks"}, map[string]bool{}
		for range 20 {
			id := string(rune('a' + random.IntN(6)))
			path, value, op := "members", `[{"value":"`+id+`"}]`, "add"
			switch random.IntN(4) {
			case 0:
				op, model[id] = "add", true
			case 1:
				op, path, value = "remove", `members[value eq "`+id+`"]`, ""
				delete(model, id)
			case 2:
				op = "remove"
				delete(model, id)
			case 3:
				op, model = "replace", map[string]bool{id: true}
			}
			next, err := groups().applyAll(current, []patchOperation{{Op: op, Path: path, Value: json.RawMessage(value)}})
			require.NoError(t, err)
			current = next
		}
		got := map[string]bool{}
		values, _ := current["members"].([]any)
		for _, v := range values {
			member, ok := v.(object)
			require.True(t, ok)
			id, _ := member["value"].(string)
			require.False(t, got[id], "twice")
			got[id] = true
		}
		require.Equal(t, model, got)
	}
}

// No path and no value makes a PATCH panic.
func FuzzPatch(f *testing.F) {
	f.Add("add", "members", `[{"value":"1"}]`)
	f.Add("replace", `emails[type eq "work" and not (value pr)].value`, `"x"`)
	f.Add("remove", "", `null`)
	f.Add("add", "name.givenName", `{"a":[]}`)
	f.Fuzz(func(t *testing.T, op, path, value string) {
		for _, p := range []patcher{users(), groups()} {
			o := decodeObject(t, `{"userName":"a","displayName":"b","emails":[{"value":"a@x.example"}],"members":[{"value":"1"}]}`)
			_, _ = p.applyAll(o, []patchOperation{{Op: op, Path: path, Value: json.RawMessage(value)}})
		}
	})
}
