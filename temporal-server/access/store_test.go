package access_test

import (
	"testing"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/access/storetest"
)

func TestMemoryStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, access.NewMemoryStore())
}
