package cli

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

func newWorkersCommand(env Environment) *cobra.Command {
	var all bool
	var queue string
	cmd := listCommand(env, &cobra.Command{
		Use: "workers", Args: requireArgs(), Short: "List workers: their task queues, whether they poll, and problems",
		Long: "Shows the workers that registered lately, their task queues, and whether they poll them. Problems are listed below\n" +
			"the table, including problems of task queues without a worker.",
	}, listing[oasadmin.Worker]{
		rows: "workers", limit: 100, tenant: ofTenantHelp,
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.Worker, int64, error) {
			params := oasadmin.FindWorkersParams{Size: &by.limit, Tenant: filterOf(by.tenant), TaskQueue: filterOf(queue)}
			if !all {
				params.State = []oasadmin.WorkerState{oasadmin.WorkerStateONLINE}
			}
			answer, err := s.FindWorkers(cmd.Context(), &params)
			page, err := receive[oasadmin.WorkerPage](s, answer, err)
			return page.Content, page.Metadata.TotalElements, err
		},
		table: func(v view, found []oasadmin.Worker) { workerTable(env, v, found, queue) },
		below: func(cmd *cobra.Command, s *service, by listFlags, found []oasadmin.Worker) error {
			queues, err := s.taskQueues(cmd, by.tenant, queue)
			if err != nil {
				return err
			}
			return writeProblems(cmd.OutOrStdout(), queues, len(found) > 0)
		},
	})
	cmd.Flags().BoolVar(&all, "all", false, "also offline ones")
	bindQueue(cmd, &queue)
	return cmd
}

func newTaskQueuesCommand(env Environment) *cobra.Command {
	var queue string
	cmd := listCommand(env, &cobra.Command{
		Use: "task-queues", Args: requireArgs(), Short: "List task queues with the definitions that need them, their workers and problems",
		Long: "Shows the task queues that definitions need or workers registered for: the workflows that are needed, how many of the\n" +
			"workers are live, pollers and backlog. Problems are listed below the table.",
	}, listing[oasadmin.TaskQueue]{
		rows: "task queues", tenant: ofTenantHelp,
		find: func(cmd *cobra.Command, s *service, _ []string, by listFlags) ([]oasadmin.TaskQueue, int64, error) {
			found, err := s.taskQueues(cmd, by.tenant, queue)
			return found, 0, err
		},
		table: func(v view, found []oasadmin.TaskQueue) { taskQueueTable(env, v, found) },
		below: func(cmd *cobra.Command, _ *service, _ listFlags, found []oasadmin.TaskQueue) error {
			return writeProblems(cmd.OutOrStdout(), found, true)
		},
	})
	bindQueue(cmd, &queue)
	return cmd
}

func bindQueue(cmd *cobra.Command, queue *string) {
	cmd.Flags().StringVar(queue, "task-queue", "", "only workers of the task queue with the `name`")
}

// taskQueues returns the task queues, filtered by tenant and name if they are given.
func (s *service) taskQueues(cmd *cobra.Command, tenant, name string) ([]oasadmin.TaskQueue, error) {
	size := pageSize
	params := oasadmin.FindTaskQueuesParams{Size: &size, Tenant: filterOf(tenant), TaskQueue: filterOf(name)}
	queues := []oasadmin.TaskQueue{}
	for number := 0; ; number++ {
		params.Page = &number
		answer, err := s.FindTaskQueues(cmd.Context(), &params)
		page, err := receive[oasadmin.TaskQueuePage](s, answer, err)
		if err != nil {
			return nil, err
		}
		queues = append(queues, page.Content...)
		if number+1 >= page.Metadata.TotalPages {
			return queues, nil
		}
	}
}

// workerTable writes a line for each registration of the workers, or of one task queue.
func workerTable(env Environment, w io.Writer, workers []oasadmin.Worker, queue string) {
	now := env.Clock()
	several := slices.ContainsFunc(workers, func(o oasadmin.Worker) bool { return o.Tenant != workers[0].Tenant })
	tenantRow(w, several, "TENANT", "WORKER", "TASK QUEUE", "STATE", "POLLED", "REGISTERED", "WORKFLOWS")
	for _, worker := range workers {
		for _, r := range worker.TaskQueues {
			if queue != "" && r.TaskQueue != queue {
				continue
			}
			polled := "no"
			if r.PolledAt != nil {
				polled = ageText(now, *r.PolledAt) + " ago"
			}
			types := strings.Join(r.WorkflowTypes, ", ")
			if types == "" {
				types = "any"
			}
			tenantRow(w, several, worker.Tenant, worker.Identity, r.TaskQueue, string(r.State), polled,
				ageText(now, r.LastSeenAt)+" ago", types)
		}
	}
}

func taskQueueTable(env Environment, w io.Writer, queues []oasadmin.TaskQueue) {
	now := env.Clock()
	several := ofSeveralTenants(queues)
	tenantRow(w, several, "TENANT", "TASK QUEUE", "NEEDED BY", "WORKERS", "POLLERS", "BACKLOG", "OBSERVED", "PROBLEMS")
	for _, q := range queues {
		pollers, backlog, observed := "?", "?", "never"
		if o := q.Observation; o != nil && o.ObservedAt != nil {
			pollers, backlog = strconv.Itoa(countPollers(o)), backlogText(o)
			observed = ageText(now, *o.ObservedAt) + " ago"
		}
		tenantRow(w, several, q.Tenant, q.Name, needText(q.Needs), workersText(q.Workers), pollers, backlog, observed,
			strconv.Itoa(len(q.Problems)))
	}
}

// tenantRow writes a line of a table. With several tenants, the first cell is the tenant.
func tenantRow(w io.Writer, several bool, cells ...string) {
	if !several {
		cells = cells[1:]
	}
	writeRow(w, cells...)
}

func ofSeveralTenants(queues []oasadmin.TaskQueue) bool {
	return slices.ContainsFunc(queues, func(q oasadmin.TaskQueue) bool { return q.Tenant != queues[0].Tenant })
}

// needText names the definitions and robots, each once.
func needText(needs []oasadmin.TaskQueueNeed) string {
	var names []string
	for _, n := range needs {
		name := n.Definition
		if n.Kind == oasadmin.TaskQueueNeedKindROBOT {
			name = "robot " + name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

func workersText(workers []oasadmin.TaskQueueWorker) string {
	online := 0
	for _, w := range workers {
		if w.State == oasadmin.WorkerStateONLINE {
			online++
		}
	}
	text := strconv.Itoa(online) + " online"
	if offline := len(workers) - online; offline > 0 {
		text += ", " + strconv.Itoa(offline) + " offline"
	}
	return text
}

// countPollers counts the pollers of all kinds of tasks, each once.
func countPollers(o *oasadmin.TaskQueueObservation) int {
	identities := map[string]bool{}
	for _, p := range o.Pollers {
		identities[p.Identity] = true
	}
	return len(identities)
}

func backlogText(o *oasadmin.TaskQueueObservation) string {
	var waiting []string
	for _, b := range o.Backlogs {
		if b.Count > 0 {
			waiting = append(waiting, strconv.FormatInt(b.Count, 10)+" "+strings.ToLower(string(b.Kind)))
		}
	}
	if len(waiting) == 0 {
		return "0"
	}
	return strings.Join(waiting, ", ")
}

// writeProblems writes a line for each problem, after an empty line if below is set. With
// several tenants, lines name the tenant.
func writeProblems(w io.Writer, queues []oasadmin.TaskQueue, below bool) error {
	several := ofSeveralTenants(queues)
	for _, q := range queues {
		for _, problem := range q.Problems {
			line := q.Name + ": " + problem
			if several {
				line = q.Tenant + " " + line
			}
			if below {
				line, below = "\n"+cellText(line), false
			} else {
				line = cellText(line)
			}
			if _, err := io.WriteString(w, line+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
