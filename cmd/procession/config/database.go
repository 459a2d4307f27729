package config

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/persistence"
)

// Values of Database.Migrate: update the schema at start, refuse an old one, or do neither.
const (
	MigrateAuto  = "auto"
	MigrateCheck = "check"
	MigrateOff   = "off"
)

// Database configures the connections to PostgreSQL.
type Database struct {
	DatabaseURL                   string
	DatabaseDirectURL             string
	DatabaseConnections           int32
	DatabaseBackgroundConnections int32
	DatabaseStreamConnections     int32
	DatabaseStatementTimeout      time.Duration
	DatabaseOutageTolerance       time.Duration
	ListMemoryBytes               int64
	Migrate                       string
}

// bindFlags declares the flags.
func (c *Database) bindFlags(f *pflag.FlagSet) {
	limits := persistence.DefaultLimits()
	f.StringVar(&c.DatabaseURL, "database-url", "", "PostgreSQL database, as a URL or key=value pairs (secret)")
	f.StringVar(&c.DatabaseDirectURL, "database-direct-url", "",
		"the same database without a pooler, if --database-url leads through one in transaction mode (secret)")
	f.Int32Var(&c.DatabaseConnections, "database-connections", limits.Requests,
		"maximum number of connections to PostgreSQL for requests; two more are for notifications")
	f.Int32Var(&c.DatabaseBackgroundConnections, "database-background-connections", limits.Background,
		"maximum number of connections to PostgreSQL for background work; requests do not use them")
	f.Int32Var(&c.DatabaseStreamConnections, "database-stream-connections", limits.Streams,
		"maximum number of connections to PostgreSQL for streamed answers, such as exports")
	f.DurationVar(&c.DatabaseStatementTimeout, "database-statement-timeout", limits.RequestTime,
		"longest statement of a request, and its longest wait for a connection; then 503")
	f.DurationVar(&c.DatabaseOutageTolerance, "database-outage-tolerance", 30*time.Second,
		"how long PostgreSQL may be unavailable before /readyz answers 503; requests get 503 with Retry-After meanwhile")
	f.Int64Var(&c.ListMemoryBytes, "list-memory-bytes", limits.ListMemory,
		"memory for all lists with whole values, in bytes; further lists wait, then 503")
	bindChoice(f, &c.Migrate, "migrate", "schema at start: auto (update), check (refuse an old one), off",
		MigrateAuto, MigrateCheck, MigrateOff)
}

// checkSettings validates the settings.
func (c *Database) checkSettings() error {
	var wrong faults
	for setting, url := range map[string]string{"database-url": c.DatabaseURL, "database-direct-url": c.DatabaseDirectURL} {
		wrong.require(url == "" || persistence.CheckURL(url), setting,
			"must be a URL such as postgres://user@host/database, or key=value pairs")
	}
	wrong.require(c.DatabaseConnections >= 4, "database-connections", "must be 4 or more")
	wrong.require(c.DatabaseBackgroundConnections >= 2, "database-background-connections", "must be 2 or more")
	wrong.require(c.DatabaseStreamConnections >= 2, "database-stream-connections", "must be 2 or more")
	wrong.require(c.DatabaseStatementTimeout >= 100*time.Millisecond, "database-statement-timeout", "must be 100ms or more")
	wrong.require(c.DatabaseOutageTolerance >= 0, "database-outage-tolerance", "must not be negative")
	wrong.require(c.ListMemoryBytes >= persistence.MinListMemory, "list-memory-bytes", "must be 4194304 or more")
	return wrong.join()
}

// RequireDatabase returns an error without --database-url.
func (c *Database) RequireDatabase() error {
	if c.DatabaseURL == "" {
		return missingSetting("database-url")
	}
	return nil
}
