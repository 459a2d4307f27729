package main

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
)

// The process definitions of the bench have workflows that return at once, after
// a completed task, and after some time.
const (
	taskQueue      = "QUEUE_BENCH"
	codeReturn     = "BENCH_RETURN"
	codeWait       = "BENCH_WAIT"
	codeLater      = "BENCH_LATER"
	codeTask       = "BENCH_TASK"
	workflowReturn = "BenchReturnWorkflow"
	workflowWait   = "BenchWaitWorkflow"
	workflowLater  = "BenchLaterWorkflow"
)

func definitionID(code string) uuid.UUID { return uuid.NewSHA1(demo.TenantDemo(), []byte(code)) }

// publishDefinitions stores the definitions of the bench, which the demo
// application loan-worker runs and Alice manages.
func publishDefinitions(ctx context.Context, db *persistence.DB, now time.Time) error {
	return db.Write(ctx, func(tx *persistence.Tx) error {
		for code, runs := range map[string]struct{ workflow, queue string }{
			codeReturn: {workflowReturn, taskQueue}, codeWait: {workflowWait, taskQueue}, codeLater: {workflowLater, taskQueue},
			codeSDK: {workflowSDK, queueSDK}, codePlain: {workflowSDK, queuePlain},
		} {
			id := definitionID(code)
			item := uuid.NewSHA1(id, []byte(codeTask))
			tx.PublishVersion(persistence.DefinitionVersion{
				DefinitionRef: domain.DefinitionRef{ID: id, Version: uuid.NewSHA1(id, []byte("version")), Code: code},
				TenantID:      demo.TenantDemo(), Number: 1, Name: translation.Name{Source: code},
				Engine: &domain.EngineBinding{
					WorkflowType: runs.workflow, TaskQueue: runs.queue, SignalShape: domain.SignalShapeB, RunnerID: demo.LoanWorker().ID,
				},
				Items: []persistence.ItemDefinitionVersion{{
					DefinitionRef: domain.DefinitionRef{ID: item, Version: uuid.NewSHA1(item, []byte("version")), Code: codeTask},
					Type:          domain.ItemTask, Name: translation.Name{Source: codeTask},
				}},
			}, demo.Alice().ID, now)
			tx.GrantOnProcess(id, domain.PermissionManager, demo.LoanWorker().ID)
			tx.GrantOnProcess(id, domain.PermissionManager, demo.Alice().ID)
			tx.GrantOnItem(item, domain.PermissionCandidate, domain.Grantee{ID: demo.LoanWorker().ID})
			tx.GrantOnItem(item, domain.PermissionCandidate, domain.Grantee{ID: demo.Alice().ID})
		}
		return nil
	})
}
