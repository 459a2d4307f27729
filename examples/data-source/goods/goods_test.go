package goods_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/examples/data-source/goods"
	"github.com/procession-dev/procession/sdk"
)

func TestGoodsAreFoundByPages(t *testing.T) {
	t.Parallel()
	page, err := goods.Query(t.Context(), procession.DataSourceQuery{Query: " M4", PageNumber: 1, PageSize: 2})
	require.NoError(t, err)
	require.Equal(t, 3, page.TotalElements)
	require.Len(t, page.Items, 1)
	page, err = goods.Query(t.Context(), procession.DataSourceQuery{PageNumber: 9, PageSize: 25})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	page, err = goods.Query(t.Context(), procession.DataSourceQuery{Filter: "cheap", PageSize: 25})
	require.NoError(t, err)
	require.NotEmpty(t, page.Error)
}

func TestGoodsThatThereAreAreAccepted(t *testing.T) {
	t.Parallel()
	answer, err := goods.Validate(t.Context(), procession.DataSourceCheck{Values: []string{
		"kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt%20M4;",
		"kuflow-data-source:name=Bolt;id=01970000-0000-7000-8000-00000000ffff;",
		"kuflow-data-source:",
	}})
	require.NoError(t, err)
	verdict := procession.DataSourceVerdict{Message: "there are no such goods"}
	require.Equal(t, []procession.DataSourceVerdict{{Valid: true}, verdict, verdict}, answer.Validations)
}
