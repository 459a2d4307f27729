package console_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/resource"
)

// Two administrators change different parts of one definition: the second continues with both.
func TestChangesOfTwoEditorsAreMerged(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	text := hostileManifests[:strings.Index(hostileManifests, "---")]
	s.applyManifests(text)
	alice := s.signIn("Alice")
	alice.openPath("definitions/demo/ProcessDefinition/HOSTILE/edit")
	s.applyManifests(strings.Replace(text, "bob", "carol", 1))
	alice.Eval(`(() => {
		const text = document.getElementById("text");
		text.value += "  subjectTemplate: Second\n";
		text.dispatchEvent(new Event("input", {bubbles: true}));
	})()`)
	alice.AwaitText("The changes fit together.")
	require.Contains(t, alice.Text("#editor-side"), "carol")
	alice.RequireAccessible()
	alice.Click("#editor-side .btn-primary")
	alice.AwaitText("What would change")
	require.NotContains(t, alice.Text("#editor-side .differences"), "carol", "it is the new base")
	require.Contains(t, alice.Text("#editor-side .differences .new"), "subjectTemplate: Second")
	alice.Click("button[form=definition].btn-primary")
	alice.AwaitText("This is applied.")
	spec, ok := s.manifestOf(resource.KindProcessDefinition, "HOSTILE").Spec.(*resource.ProcessDefinitionSpec)
	require.True(t, ok)
	require.Equal(t, "Second", spec.SubjectTemplate)
	require.Equal(t, "carol", spec.Items[0].Candidates[0].User)
}
