package persistence

import (
	"context"
	"time"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ServerInfo describes a PostgreSQL server.
type ServerInfo struct {
	// Version is as in "15.18", Major its first number.
	Version string
	Major   int
	// Clock is the server's current time.
	Clock time.Time
}

const getServerInfo = `
SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('server_version_num')::integer / 10000,
       clock_timestamp()`

// GetServerInfo returns the description of the database server.
func (r *Reader) GetServerInfo(ctx context.Context) (ServerInfo, error) {
	var info ServerInfo
	err := r.Read(ctx, pg.Q(getServerInfo, nil, pg.One(&info.Version, &info.Major, &info.Clock)))
	return info, pg.Translate("asking the database about itself", err)
}
