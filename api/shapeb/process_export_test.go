package shapeb_test

import (
	"archive/zip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestProcessIsExported(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	path := "/processes/" + s.Process(demo.Alice(), demo.Onboarding()).ID.String() + "/~actions/export"
	answer := s.Get(200, demo.Alice(), path)
	exported, err := zip.NewReader(strings.NewReader(answer.Body), int64(len(answer.Body)))
	require.NoError(t, err)
	for _, name := range []string{"manifest.json", "process.json"} {
		_, err := exported.Open(name)
		require.NoError(t, err, name)
	}
	s.Get(404, demo.Stranger(), path)
}
