// Package queuereport describes the problems of a task queue in English, for administrators and for those who check an
// installation.
package queuereport

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
)

// shownNames is how many names a sentence lists before it counts the rest.
const shownNames = 5

// Problems returns sentences about what blocks work on the queue, or will. A healthy queue has none; while
// Temporal cannot be observed, that is the only problem reported about it.
func Problems(q *domain.TaskQueue, now time.Time, patience domain.TaskQueuePatience) []string {
	j := &queueJudge{queue: q, now: now, patience: patience, polling: map[domain.TaskKind]map[string]bool{}}
	j.observe()
	return slices.Concat(j.unmetNeeds(), j.idleWorkers(), j.strangers(), j.backlogs(), j.blindness())
}

// queueJudge holds the inputs common to all rules.
type queueJudge struct {
	queue    *domain.TaskQueue
	now      time.Time
	patience domain.TaskQueuePatience
	// seen is the observation, nil when there is no usable one.
	seen *domain.TaskQueueObservation
	// polling are the identities that poll for tasks of a kind.
	polling map[domain.TaskKind]map[string]bool
}

func (j *queueJudge) observe() {
	seen := j.queue.Observed
	if seen == nil || seen.ObservedAt.IsZero() || j.now.Sub(seen.ObservedAt) > j.patience.Observation {
		return
	}
	j.seen = seen
	for _, p := range seen.Pollers {
		if seen.ObservedAt.Sub(p.LastAccessAt) > j.patience.Poll {
			continue
		}
		if j.polling[p.Kind] == nil {
			j.polling[p.Kind] = map[string]bool{}
		}
		j.polling[p.Kind][p.Identity] = true
	}
}

func (j *queueJudge) live(w *domain.TaskQueueWorker) bool {
	return domain.WorkerStateAt(w.LastSeenAt, j.now) == domain.WorkerOnline
}

// unmetNeeds returns the workflows that no live worker registered.
func (j *queueJudge) unmetNeeds() []string {
	live, anything := 0, false
	types := map[string]bool{}
	for i := range j.queue.Workers {
		w := &j.queue.Workers[i]
		if !j.live(w) {
			continue
		}
		live++
		anything = anything || len(w.WorkflowTypes) == 0
		for _, name := range w.WorkflowTypes {
			types[name] = true
		}
	}
	var problems []string
	for _, need := range j.queue.Needs {
		switch {
		case live == 0:
			problems = append(problems, fmt.Sprintf("%s workflow %s on task queue %s: no live worker",
				subject(&need), need.WorkflowType, j.queue.Name))
		case !anything && !types[need.WorkflowType]:
			problems = append(problems, fmt.Sprintf(
				"%s workflow %s on task queue %s, which is registered by no live worker (registered types: %s)",
				subject(&need), need.WorkflowType, j.queue.Name, listed(slices.Sorted(maps.Keys(types)))))
		}
	}
	return problems
}

// subject returns the subject and the verb of the sentence.
func subject(n *domain.TaskQueueNeed) string {
	switch {
	case n.Kind == domain.NeedRobot:
		return "robot " + n.Definition + " needs"
	case n.Kind == domain.NeedProcess && n.Published:
		return "definition " + n.Definition + " needs"
	case n.Kind == domain.NeedProcess:
		return "running processes of " + n.Definition + pinned(n) + " need"
	case n.Published:
		return "action " + n.Action + " of definition " + n.Definition + " needs"
	default:
		return "action " + n.Action + " of running processes of " + n.Definition + pinned(n) + " needs"
	}
}

func pinned(n *domain.TaskQueueNeed) string {
	word := " (version "
	if len(n.Versions) > 1 {
		word = " (versions "
	}
	numbers := make([]string, len(n.Versions))
	for i, number := range n.Versions {
		numbers[i] = fmt.Sprint(number)
	}
	return word + listed(numbers) + ")"
}

// justRegistered reports whether a worker registered so shortly before the observation, or after it, that it need not
// have been seen polling.
func (j *queueJudge) justRegistered(w *domain.TaskQueueWorker) bool {
	return j.seen.ObservedAt.Sub(w.LiveSince) < j.patience.Poll
}

// idleWorkers returns live workers that do not poll. A worker that has just registered is given time to begin,
// because some SDKs register before they connect.
func (j *queueJudge) idleWorkers() []string {
	if j.seen == nil {
		return nil
	}
	var problems []string
	for i := range j.queue.Workers {
		w := &j.queue.Workers[i]
		if !j.live(w) || j.justRegistered(w) {
			continue
		}
		workflows := j.polling[domain.TaskKindWorkflow][w.Identity]
		activities := j.polling[domain.TaskKindActivity][w.Identity]
		switch {
		case !workflows && !activities:
			problems = append(problems, fmt.Sprintf("worker %s registered on %s but does not poll it", w.Identity, j.queue.Name))
		case !workflows && len(w.WorkflowTypes) > 0:
			problems = append(problems, fmt.Sprintf(
				"worker %s registered workflows on %s but does not poll it for workflow tasks", w.Identity, j.queue.Name))
		case !activities && len(w.ActivityTypes) > 0:
			problems = append(problems, fmt.Sprintf(
				"worker %s registered activities on %s but does not poll it for activity tasks", w.Identity, j.queue.Name))
		}
	}
	return problems
}

// strangers returns pollers without a live registration.
func (j *queueJudge) strangers() []string {
	registered := map[string]*domain.TaskQueueWorker{}
	for i := range j.queue.Workers {
		registered[j.queue.Workers[i].Identity] = &j.queue.Workers[i]
	}
	polling := map[string]bool{}
	for _, identities := range j.polling {
		maps.Copy(polling, identities)
	}
	var problems, unknown []string
	for _, identity := range slices.Sorted(maps.Keys(polling)) {
		switch w := registered[identity]; {
		case w == nil:
			unknown = append(unknown, identity)
		case !j.live(w):
			problems = append(problems, fmt.Sprintf("worker %s polls %s but has not registered again for %s",
				identity, j.queue.Name, ageText(j.now.Sub(w.LastSeenAt))))
		}
	}
	if len(unknown) > 0 {
		problems = append(problems, fmt.Sprintf("something polls %s that is not registered: %s",
			j.queue.Name, listed(unknown)))
	}
	return problems
}

// backlogs returns waiting tasks: at once when no worker polls for them, otherwise when they have waited long.
func (j *queueJudge) backlogs() []string {
	if j.seen == nil {
		return nil
	}
	var problems []string
	for _, b := range j.seen.Backlogs {
		pollers := len(j.polling[b.Kind])
		if b.Count == 0 || (pollers > 0 && b.Age < j.patience.Backlog) {
			continue
		}
		waiting := fmt.Sprintf("backlog of %s, oldest %s", counted(b.Count, noun(b.Kind)), ageText(b.Age))
		if pollers == 0 {
			if slices.ContainsFunc(j.queue.Workers, func(w domain.TaskQueueWorker) bool { return j.live(&w) && j.justRegistered(&w) }) {
				waiting += ", and the worker that just registered has not been seen polling yet"
			} else {
				waiting += ", and no worker polls"
			}
			problems = append(problems, waiting)
			continue
		}
		verb := "polls"
		if pollers > 1 {
			verb = "poll"
		}
		problems = append(problems, fmt.Sprintf("%s, though %s %s", waiting, counted(int64(pollers), "worker"), verb))
	}
	return problems
}

func noun(k domain.TaskKind) string {
	switch k {
	case domain.TaskKindWorkflow:
		return "workflow task"
	case domain.TaskKindActivity:
		return "activity task"
	}
	return "task"
}

// blindness reports that Temporal cannot be observed, and since when.
func (j *queueJudge) blindness() []string {
	seen := j.queue.Observed
	if seen == nil {
		return nil
	}
	stale := !seen.ObservedAt.IsZero() && j.seen == nil
	switch {
	case seen.Failure != "" && seen.ObservedAt.IsZero():
		return []string{fmt.Sprintf("what happens on %s in Temporal is not known: %s", j.queue.Name, seen.Failure)}
	case seen.Failure != "" && stale:
		return []string{fmt.Sprintf("what happens on %s in Temporal has not been known for %s: %s",
			j.queue.Name, ageText(j.now.Sub(seen.ObservedAt)), seen.Failure)}
	case stale:
		return []string{fmt.Sprintf("what happens on %s in Temporal has not been looked at for %s",
			j.queue.Name, ageText(j.now.Sub(seen.ObservedAt)))}
	}
	return nil
}

// listed joins names, and counts those beyond the limit.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if len(names) <= shownNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shownNames], ", "), len(names)-shownNames)
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// ageText returns a rounded duration in words.
func ageText(age time.Duration) string {
	switch {
	case age < 2*time.Minute:
		return fmt.Sprintf("%d s", max(0, int(age.Seconds())))
	case age < 2*time.Hour:
		return fmt.Sprintf("%d m", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h", int(age.Hours()))
	default:
		return fmt.Sprintf("%d d", int(age.Hours()/24))
	}
}
