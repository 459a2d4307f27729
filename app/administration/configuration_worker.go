package administration

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// workerQueues are the task queues that manifests give to an application, and the
// manifests that do with the member that names the application.
type workerQueues struct {
	servable, reachable map[string]bool
	givenBy             map[resource.Key]string
}

// crowdedWorkers reports the documents that are new or different and give an
// application more task queues than an engine token has room for.
func (c *configuration) crowdedWorkers(documents []resource.Document) []resource.Violation {
	workers := c.workerQueues()
	var violations []resource.Violation
	for _, key := range slices.SortedFunc(maps.Keys(workers), compareKeys) {
		w := workers[key]
		size := domain.QueueNamesSize(slices.Collect(maps.Keys(w.servable)), slices.Collect(maps.Keys(w.reachable)))
		if size <= domain.MaxQueueNamesSize {
			continue
		}
		for i := range documents {
			pointer, gives := w.givenBy[documents[i].Key()]
			changes := slices.ContainsFunc(c.applied, func(a AppliedResource) bool {
				return a.Key == documents[i].Key() && a.Action != ApplyUnchanged
			})
			if gives && changes {
				violations = append(violations, resource.Violation{Document: documents[i].Place, Pointer: pointer, Message: fmt.Sprintf(
					"gives %s task queues with names of %d bytes in an engine token, at most %d: assign some of them to another application",
					displayKey(key), size, domain.MaxQueueNamesSize)})
			}
		}
	}
	return violations
}

// workerQueues returns the applications that the manifests make workers.
func (c *configuration) workerQueues() map[resource.Key]*workerQueues {
	workers := map[resource.Key]*workerQueues{}
	for by, d := range c.desired {
		give := func(application, pointer, queue string, serves bool) {
			if application == "" || queue == "" {
				return
			}
			key := resource.Key{Tenant: by.Tenant, Kind: resource.KindApplication, Code: application}
			w := workers[key]
			if w == nil {
				w = &workerQueues{map[string]bool{}, map[string]bool{}, map[resource.Key]string{}}
				workers[key] = w
			}
			w.givenBy[by], w.reachable[queue] = pointer, true
			if serves {
				w.servable[queue] = true
			}
		}
		switch spec := d.Spec.(type) {
		case *resource.ApplicationSpec:
			if spec.Engine != nil {
				for _, queue := range spec.Engine.TaskQueues {
					give(by.Code, "/spec/engine/taskQueues", queue, true)
				}
			}
		case *resource.ProcessDefinitionSpec:
			c.giveProcessQueues(by.Tenant, spec, give)
		case *resource.BusinessArtifactDefinitionSpec:
			for i := range spec.Actions {
				give(spec.Actions[i].Runner, "/spec/actions/"+strconv.Itoa(i)+"/runner", spec.Actions[i].TaskQueue, true)
			}
		case *resource.DataSourceSpec:
			give(spec.Runner, "/spec/runner", spec.TaskQueue, true)
		case *resource.RobotSpec:
			give(spec.Runner, "/spec/runner", spec.TaskQueue, true)
		default:
		}
	}
	return workers
}

// giveProcessQueues gives the queues that a process definition names.
func (c *configuration) giveProcessQueues(
	tenant string, spec *resource.ProcessDefinitionSpec, give func(application, pointer, queue string, serves bool),
) {
	const engine = "/spec/engine/runner"
	runner := ""
	if spec.Engine != nil {
		runner = spec.Engine.Runner
		give(runner, engine, spec.Engine.TaskQueue, true)
	}
	for i := range spec.UserActions {
		action := &spec.UserActions[i]
		give(runner, engine, action.TaskQueue, action.Runner == "")
		give(action.Runner, "/spec/userActions/"+strconv.Itoa(i)+"/runner", action.TaskQueue, true)
	}
	for i := range spec.Items {
		if named := spec.Items[i].Robot; named != nil {
			d := c.desired[resource.Key{Tenant: tenant, Kind: resource.KindRobot, Code: named.Code}]
			if d == nil {
				continue
			}
			if robot, ok := d.Spec.(*resource.RobotSpec); ok {
				give(runner, engine, robot.TaskQueue, false)
			}
		}
	}
}
