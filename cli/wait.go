package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// awaitWorkers waits until the task queues that the applied resources need have no
// problems, and fails with the problems that are left when the time is up.
func (s *service) awaitWorkers(cmd *cobra.Command, applied oasadmin.ResourceApplyResult, atMost time.Duration) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), atMost)
	defer cancel()
	tenants := map[string][]string{}
	for _, r := range applied.Results {
		tenants[r.Tenant] = append(tenants[r.Tenant], r.Code)
	}
	var problems []string
	err := pollUntil(ctx, func() (bool, error) {
		var left []string
		for tenant, codes := range tenants {
			queues, err := s.taskQueues(cmd, tenant, "")
			if err != nil {
				return false, err
			}
			for _, q := range queues {
				needs := func(n oasadmin.TaskQueueNeed) bool { return slices.Contains(codes, n.Definition) }
				if !slices.ContainsFunc(q.Needs, needs) {
					continue
				}
				for _, problem := range q.Problems {
					left = append(left, q.Name+": "+problem)
				}
			}
		}
		problems = left
		return len(problems) == 0, nil
	})
	if err != nil || len(problems) == 0 {
		return err
	}
	return &failure{kind: domain.KindUnavailable, text: fmt.Sprintf("after %s, some applied definitions cannot run:\n%s",
		atMost, strings.Join(problems, "\n"))}
}
