package browsertest

import (
	"encoding/json"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Tree returns the role and the name of each element that the browser shows to programs of assistance, in the order of reading.
func (b *Tab) Tree() []string {
	b.t.Helper()
	found, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	require.NoError(b.t, err)
	text := func(v *accessibility.Value) (text string) {
		if v != nil {
			// Other values than texts stay "".
			_ = json.Unmarshal(v.Value, &text)
		}
		return text
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range found.Nodes {
		nodes[n.NodeID] = n
	}
	var tree []string
	var add func(n *accessibility.Node)
	add = func(n *accessibility.Node) {
		if n == nil {
			return
		}
		if !n.Ignored {
			tree = append(tree, text(n.Role)+": "+text(n.Name))
		}
		for _, child := range n.ChildIDs {
			add(nodes[child])
		}
	}
	if len(found.Nodes) > 0 {
		add(found.Nodes[0])
	}
	return tree
}
