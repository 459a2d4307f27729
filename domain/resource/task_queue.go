package resource

import "github.com/procession-dev/procession/domain"

// TaskQueueName is the name of a task queue in a manifest, with its place as a JSON Pointer.
type TaskQueueName struct{ Name, Pointer string }

// TaskQueues returns the task queues that the manifest names.
func (d Document) TaskQueues() []TaskQueueName {
	var found []TaskQueueName
	add := func(name string, place ...any) {
		if name != "" {
			found = append(found, TaskQueueName{name, extendPointer("/spec", place...)})
		}
	}
	switch spec := d.Spec.(type) {
	case *ApplicationSpec:
		if spec.Engine != nil {
			for i, queue := range spec.Engine.TaskQueues {
				add(queue, "engine", "taskQueues", i)
			}
		}
	case *ProcessDefinitionSpec:
		if spec.Engine != nil {
			add(spec.Engine.TaskQueue, "engine", "taskQueue")
		}
		for i := range spec.UserActions {
			add(spec.UserActions[i].TaskQueue, "userActions", i, "taskQueue")
		}
	case *BusinessArtifactDefinitionSpec:
		for i := range spec.Actions {
			add(spec.Actions[i].TaskQueue, "actions", i, "taskQueue")
		}
	case *DataSourceSpec:
		add(spec.TaskQueue, "taskQueue")
	case *RobotSpec:
		add(spec.TaskQueue, "taskQueue")
	default:
	}
	return found
}

// checkTaskQueues refuses queues that no worker may serve.
func checkTaskQueues(d *Document, r *report) {
	for _, queue := range d.TaskQueues() {
		if domain.ReservedTaskQueue(queue.Name) {
			r.add(queue.Pointer, "is a name that Temporal or the service keeps for itself")
		}
	}
}
