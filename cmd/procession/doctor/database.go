package doctor

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/queuereport"
	"github.com/procession-dev/procession/persistence"
)

const (
	// oldestPostgres is the oldest major version that the schema works on.
	oldestPostgres = 15
	// Clocks that are farther apart than clockTolerance are a warning, than clockLimit
	// a failure: tokens are refused.
	clockTolerance = 5 * time.Second
	clockLimit     = time.Minute

	secretsPerPage = 500

	advicePooler = "name the database itself in --database-direct-url, or in --database-url"
)

func (d *doctor) checkConfiguration(context.Context) Finding {
	const advice = "correct the setting; procession config print shows the settings in force, procession serve --help lists all"
	if d.Settings != nil {
		return fail(advice, "%s", strings.ReplaceAll(d.Settings.Error(), "\n", "; "))
	}
	return ok("complete")
}

func (d *doctor) checkDatabase(ctx context.Context) Finding {
	const advice = "start PostgreSQL, or correct --database-url"
	db, err := d.OpenDatabase(ctx)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	d.db = db
	info, err := db.Reader().GetServerInfo(ctx)
	if err != nil {
		if persistence.RefusedByPooler(err) {
			return fail(advicePooler, "%s", errorText(err))
		}
		return fail(advice, "cannot be reached: %s", errorText(err))
	}
	if info.Major < oldestPostgres {
		return fail(fmt.Sprintf("upgrade PostgreSQL to %d or newer", oldestPostgres), "is PostgreSQL %s, which is too old", info.Version)
	}
	if err := db.CheckWritable(ctx); err != nil {
		return fail("end the recovery or the read-only mode of PostgreSQL, or name the primary server in --database-url",
			"accepts no changes: %s", errorText(err))
	}
	return ok("PostgreSQL %s", info.Version)
}

// checkConnections finds poolers that keep a session for a transaction only.
func (d *doctor) checkConnections(ctx context.Context) Finding {
	route, err := d.db.Route(ctx)
	switch {
	case err != nil:
		return fail("correct --database-direct-url", "%s", errorText(err))
	case route.Apart:
		return fail("correct --database-direct-url", "--database-direct-url leads to another database than --database-url")
	case route.DirectShared:
		return fail(advicePooler, "--database-direct-url leads through a pooler in transaction mode: notifications are not received")
	case route.Shared && !route.Direct:
		return fail(advicePooler, "--database-url leads through a pooler in transaction mode: notifications are not received")
	case route.Shared:
		return ok("through a pooler, direct for notifications and migrations")
	case route.Direct:
		return ok("are direct sessions; --database-direct-url is not needed")
	}
	return ok("are direct sessions")
}

func (d *doctor) checkDatabaseClock(ctx context.Context) Finding {
	before := d.Clock()
	info, err := d.db.Reader().GetServerInfo(ctx)
	if err != nil {
		return fail("start PostgreSQL", "cannot be read: %s", errorText(err))
	}
	took := d.Clock().Sub(before)
	ahead := info.Clock.Sub(before.Add(took / 2))
	apart := max(0, ahead.Abs()-took/2)
	switch {
	case apart > clockLimit:
		return fail(adviceClock, "%s", apartText("the database's clock", ahead))
	case apart > clockTolerance:
		return warn(adviceClock, "%s", apartText("the database's clock", ahead))
	}
	return ok("within %s of ours", clockTolerance)
}

// apartText returns how far a clock is from ours.
func apartText(whose string, ahead time.Duration) string {
	direction := "ahead of"
	if ahead < 0 {
		direction = "behind"
	}
	return fmt.Sprintf("%s is about %s %s ours", whose, ahead.Abs().Round(time.Second), direction)
}

func (d *doctor) checkSchema(ctx context.Context) Finding {
	current, err := d.db.Migrated(ctx)
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	if !current {
		return fail("run procession migrate", "is older than this build")
	}
	return ok("is current")
}

// checkReferences finds rows that refer to a missing tenant, person or definition.
func (d *doctor) checkReferences(ctx context.Context) Finding {
	broken, err := d.db.Reader().FindBrokenReferences(ctx)
	switch {
	case err != nil:
		return warn("see the log of PostgreSQL", "cannot be checked: %s", errorText(err))
	case len(broken) > 0:
		return fail("restore the rows that were deleted by hand", "rows refer to missing rows: %s", strings.Join(broken, ", "))
	}
	return ok("all referenced tenants, people and definitions exist")
}

// checkSealKey opens everything that is sealed in the database.
func (d *doctor) checkSealKey(ctx context.Context) Finding {
	const advice = "set --seal-key-file or --earlier-seal-key-files to the key of the sealed secrets"
	sealer, err := d.OpenSealer(ctx)
	if err != nil {
		return fail(advice, "%s", errorText(err))
	}
	d.sealer = sealer
	opened := 0
	var closed []string
	for _, table := range persistence.SealedTables() {
		good, bad, err := d.openSealed(ctx, table)
		if err != nil {
			return fail("see the log of PostgreSQL", "%s", errorText(err))
		}
		opened += good
		if bad > 0 {
			closed = append(closed, fmt.Sprintf("%d of %d in %s", bad, good+bad, table))
		}
	}
	if len(closed) > 0 {
		return fail(advice, "secrets cannot be opened: %s", strings.Join(closed, ", "))
	}
	if exposed := d.SealKeyFiles.Exposed(); len(exposed) > 0 {
		return warn("restrict it to the user of the service: chmod 0400", "every user of the machine can read %s", strings.Join(exposed, ", "))
	}
	return ok("opens all %d sealed secrets", opened)
}

func (d *doctor) openSealed(ctx context.Context, table string) (good, bad int, err error) {
	after := ""
	for {
		page, err := d.db.Reader().ListSealed(ctx, table, after, secretsPerPage)
		if err != nil {
			return good, bad, err
		}
		for _, secret := range page {
			if _, err := d.sealer.Open(secret.Purpose, secret.Record, secret.Sealed); err != nil {
				bad++
			} else {
				good++
			}
			after = secret.Record
		}
		if len(page) < secretsPerPage {
			return good, bad, nil
		}
	}
}

func (d *doctor) checkSigningKeys(ctx context.Context) Finding {
	keys := authn.NewKeys(d.db, d.sealer, d.Clock, authn.WithPublishDelay(d.KeyPublishDelay))
	if err := keys.Reload(ctx); err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	issuer, err := authn.NewIssuer(keys, d.Issuer, d.CertificateLifetime)
	if err != nil {
		return fail("correct --issuer and --certificate-lifetime", "%s", errorText(err))
	}
	d.issuer = issuer
	key := issuer.TokenKeyID(d.Clock())
	if key == "" || issuer.RootsPEM() == "" {
		return fail("start procession serve, which creates them", "do not exist yet")
	}
	return ok("tokens are signed with key %s", key)
}

// checkWorkers counts the problems of the observed task queues.
func (d *doctor) checkWorkers(ctx context.Context) Finding {
	now := d.Clock()
	all, err := d.db.Reader().ListTaskQueues(ctx, persistence.AdministrationScope{Everywhere: true},
		persistence.TaskQueueFilter{}, domain.PageRequest{Size: math.MaxInt32}, now)
	if err != nil {
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	}
	queues := all.Items
	timeouts := d.QueueTimeouts
	troubled, problems, first := 0, 0, ""
	for i := range queues {
		found := queuereport.Problems(&queues[i], now, timeouts)
		if len(found) == 0 {
			continue
		}
		if troubled == 0 {
			first = fmt.Sprintf("tenant %s: %s", queues[i].TenantCode, found[0])
		}
		troubled++
		problems += len(found)
	}
	if problems > 0 {
		return warn("run procession workers, which lists all", "%d of %s with %s; the first: %s", troubled,
			domain.CountText(len(queues), "task queue", "task queues"), domain.CountText(problems, "problem", "problems"), first)
	}
	return ok("%s, none with problems", domain.CountText(len(queues), "task queue", "task queues"))
}

// checkTokens counts the personal access tokens that never expire.
func (d *doctor) checkTokens(ctx context.Context) Finding {
	issued, declared, err := d.db.Reader().CountLastingTokens(ctx)
	switch {
	case err != nil:
		return fail("see the log of PostgreSQL", "%s", errorText(err))
	case issued > 0:
		return warn("list them with procession secrets list user CODE, revoke them, and issue tokens with an expiry",
			"%s and %d of manifests never expire", domain.CountText(issued, "issued token", "issued tokens"), declared)
	}
	return ok("all issued tokens expire; %d of manifests do not", declared)
}
