package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

const (
	// initiatorItems is the number of item definitions of each tenant that initiators may do.
	initiatorItems = 5
	// listWriters is the number of clients that create processes while lists are measured.
	listWriters = 4
)

// loadInitiators makes tenants with item definitions for initiators: lists of one tenant must not depend on rights in others.
func (b *bench) loadInitiators(ctx context.Context) error {
	if b.db == nil {
		return nil // the baseline has them already
	}
	fmt.Fprintf(b.progress, "  making %d tenants with rights of initiators\n", b.listTenants)
	now := time.Now()
	for n := range b.listTenants {
		if err := b.db.Write(ctx, func(tx *persistence.Tx) error {
			publishForInitiators(tx, "list-"+strconv.Itoa(n), now)
			return nil
		}); err != nil {
			return fmt.Errorf("making a tenant: %w", err)
		}
	}
	return b.copyDefinitions(ctx)
}

func publishForInitiators(tx *persistence.Tx, code string, now time.Time) {
	tenant := uuid.NewSHA1(demo.TenantDemo(), []byte(code))
	tx.PutTenant(domain.Tenant{
		ID: tenant, Code: code, Name: code, Plan: "FREE", Namespace: code, TimeZone: "Etc/UTC", Audit: domain.NewAudit(demo.Alice().ID, now),
	})
	id := uuid.NewSHA1(tenant, []byte(code))
	version := persistence.DefinitionVersion{
		DefinitionRef: domain.DefinitionRef{ID: id, Version: uuid.NewSHA1(id, []byte("version")), Code: code},
		TenantID:      tenant, Number: 1, Name: translation.Name{Source: code},
	}
	for i := range initiatorItems {
		item := uuid.NewSHA1(id, []byte(strconv.Itoa(i)))
		version.Items = append(version.Items, persistence.ItemDefinitionVersion{
			DefinitionRef: domain.DefinitionRef{ID: item, Version: uuid.NewSHA1(item, []byte("version")), Code: "TASK_" + strconv.Itoa(i)},
			Type:          domain.ItemTask, Name: translation.Name{Source: code},
		})
	}
	tx.InsertDefinition(id, tenant, code)
	tx.PublishVersion(version, demo.Alice().ID, now)
	for _, item := range version.Items {
		tx.GrantOnItem(item.ID, domain.PermissionCandidate, domain.Grantee{})
	}
}

// measureListsAmidWrites measures a list while processes are created and another transaction is open, which keeps
// counts from being brought up to date.
func (b *bench) measureListsAmidWrites(ctx context.Context, items int) error {
	long, err := b.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	defer func() { _ = long.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := long.Exec(ctx, "SELECT pg_current_xact_id()"); err != nil {
		return fmt.Errorf("beginning a transaction: %w", err)
	}
	var writers sync.WaitGroup
	var created int64
	var failure error
	writers.Go(func() { created, failure = b.createProcesses(ctx, b.restTime()) })
	var took []time.Duration
	for end := time.Now().Add(b.restTime()); time.Now().Before(end) && err == nil; {
		var more []time.Duration
		more, err = b.timeList(ctx, demo.Alice(), "/process-items?size=25&sort=createdAt,desc", unknownTotal)
		// The last requests count, which are made when most has been written.
		took = more
	}
	writers.Wait()
	if err != nil || failure != nil {
		return fmt.Errorf("listing amid writes: %w", errors.Join(err, failure))
	}
	b.report.add(row{
		measure: fmt.Sprintf("list, %s items, after %.0f s of writes and an open transaction", formatThousands(items), b.restTime().Seconds()),
		value:   formatLatency(took), beside: fmt.Sprintf("%d processes created", created),
	})
	return nil
}

// createProcesses creates manual processes for some time and returns their number.
func (b *bench) createProcesses(ctx context.Context, length time.Duration) (int64, error) {
	writers, err := newContender(ctx, b.stack, listWriters)
	if err != nil {
		return 0, err
	}
	defer writers.close()
	n, _, err := driveClients(ctx, listWriters, length, func(client int) error {
		return createProcess(writers.conns[client], "ONBOARDING", uuid.New())
	})
	return n, err
}
