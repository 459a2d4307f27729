package goods_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/data-source/goods"
)

func TestGoodsAreFoundByPages(t *testing.T) {
	t.Parallel()
	page, err := goods.RunQuery(t.Context(), goods.Query{Query: " M4", PageNumber: 1, PageSize: 2})
	require.NoError(t, err)
	require.Equal(t, 3, page.TotalElements)
	require.Equal(t, 2, page.TotalPages)
	require.Len(t, page.Items, 1)
	page, err = goods.RunQuery(t.Context(), goods.Query{PageNumber: 9, PageSize: 25})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	require.NotNil(t, page.Items)
	page, err = goods.RunQuery(t.Context(), goods.Query{Filter: "cheap", PageSize: 25})
	require.NoError(t, err)
	require.NotEmpty(t, page.Error)
	_, err = goods.RunQuery(t.Context(), goods.Query{})
	require.Error(t, err)
}

func TestGoodsThatThereAreAreAccepted(t *testing.T) {
	t.Parallel()
	answer, err := goods.ValidateValue(t.Context(), goods.Check{Values: []string{
		"kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt%20M4;",
		"kuflow-data-source:name=Bolt;id=01970000-0000-7000-8000-00000000ffff;",
		"kuflow-data-source:",
	}})
	require.NoError(t, err)
	refused := goods.Verdict{Message: "there are no such goods"}
	require.Equal(t, []goods.Verdict{{Valid: true}, refused, refused}, answer.Validations)
}
