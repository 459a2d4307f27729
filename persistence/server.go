package persistence

import (
	"context"
	"time"
)

// ServerInfo is what a PostgreSQL server tells of itself.
type ServerInfo struct {
	// Version is as in "15.18", Major its first number.
	Version string
	Major   int
	// Clock is what its clock shows.
	Clock time.Time
}

const getServerInfo = `
SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('server_version_num')::integer / 10000,
       clock_timestamp()`

// GetServerInfo asks the database server about itself.
func (r *Reader) GetServerInfo(ctx context.Context) (ServerInfo, error) {
	var info ServerInfo
	err := r.read(ctx, query{getServerInfo, nil, one(&info.Version, &info.Major, &info.Clock)})
	return info, translate("asking the database about itself", err)
}
