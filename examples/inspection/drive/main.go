// Command drive plays one inspection over HTTP, Shape A: Alice starts the process, takes the task that the worker
// creates, rates, and finds the rating as the score of the completed process. It fails on the first surprise.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/examples/inspection/inspecting"
	"github.com/procession-dev/procession/examples/inspection/shapea"
	"github.com/procession-dev/procession/sdk"
)

// pollInterval separates two looks at something awaited.
const pollInterval = 20 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := runDrive(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "drive:", err)
		os.Exit(1)
	}
}

// runDrive plays the inspection and prints its steps.
func runDrive(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("drive", flag.ContinueOnError)
	flags.SetOutput(stderr)
	endpoint := flags.String("endpoint", "http://127.0.0.1:8080", "address of the REST API")
	token := flags.String("token", "demo-token-alice", "access token of the person, who manages the process")
	email := flags.String("email", "alice@demo.example", "e-mail of the person")
	rating := flags.String("rating", "4.50", "the rating, a JSON number")
	deadline := flags.Duration("deadline", 30*time.Second, "time for all of it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	client, err := procession.NewClient(procession.ClientConfig{Endpoint: *endpoint, Credentials: procession.BearerToken(*token), Attempts: 1})
	if err != nil {
		return err
	}
	defer client.Close()
	api, err := shapea.New(client)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *deadline)
	defer cancel()
	d := &drive{api: api, email: *email, rating: *rating, out: stdout}
	return d.driveInspection(ctx)
}

type drive struct {
	api    *shapea.Client
	email  string
	rating string
	out    io.Writer
}

func (d *drive) driveInspection(ctx context.Context) error {
	process, err := procession.Decode[shapea.Process](d.api.CreateProcess(ctx, shapea.Process{
		ID: new(uuid.New()), ProcessDefinition: shapea.ProcessDefinitionSummary{ID: uuid.MustParse("01970000-0000-7000-8000-00000000e003")},
		ElementValues: shapea.ProcessElementValues{"REF": {{Type: "STRING", Value: json.RawMessage(`"A-17"`)}}},
	}))
	if err != nil {
		return err
	}
	id := *process.ID
	d.printStep("created", "process", id)
	var task uuid.UUID
	err = d.awaitCondition(ctx, "the task", func() (bool, error) {
		page, err := procession.Decode[shapea.TaskPage](d.api.FindTasks(ctx, &shapea.FindTasksParams{
			ProcessID: []uuid.UUID{id}, TaskDefinitionCode: []string{inspecting.TaskInspect},
		}))
		if err != nil || len(page.Content) != 1 {
			return false, err
		}
		task = *page.Content[0].ID
		return true, nil
	})
	if err != nil {
		return err
	}
	if err := d.rateTask(ctx, task); err != nil {
		return err
	}
	err = d.awaitCondition(ctx, "the end of the process", func() (bool, error) {
		process, err = procession.Decode[shapea.Process](d.api.RetrieveProcess(ctx, id))
		return err == nil && *process.State != shapea.ProcessStateRUNNING, err
	})
	if err != nil {
		return err
	}
	score := shapea.First(process.ElementValues, inspecting.ElementScore)
	if *process.State != shapea.ProcessStateCOMPLETED || string(score.Value) != d.rating {
		return fmt.Errorf("the process is %s with the score %s, not COMPLETED with %s", *process.State, score.Value, d.rating)
	}
	d.printStep("completed", "score", d.rating)
	return nil
}

// rateTask takes the task, fills it in and completes it.
func (d *drive) rateTask(ctx context.Context, id uuid.UUID) error {
	task, err := procession.Decode[shapea.Task](d.api.RetrieveTask(ctx, id))
	if err != nil {
		return err
	}
	if !shapea.First(task.ElementValues, inspecting.ElementNote).IsValid() {
		return errors.New("the task has no instructions for its owner")
	}
	if _, err := procession.Decode[shapea.Task](d.api.ActionsTaskAssign(ctx, id, shapea.TaskAssignCommand{Email: &d.email})); err != nil {
		return err
	}
	_, err = procession.Decode[shapea.Task](d.api.ActionsTaskSaveElement(ctx, id, shapea.TaskSaveElementCommand{
		ElementDefinitionCode: inspecting.ElementRating,
		ElementValues:         []shapea.ElementValue{{Type: "NUMBER", Value: json.RawMessage(d.rating)}},
	}))
	if err != nil {
		return err
	}
	task, err = procession.Decode[shapea.Task](d.api.ActionsTaskComplete(ctx, id))
	if err == nil && *task.State != shapea.TaskStateCOMPLETED {
		err = fmt.Errorf("the task is %s, not COMPLETED", *task.State)
	}
	d.printStep("rated", "task", id)
	return err
}

func (d *drive) printStep(what, name string, value any) {
	_, _ = fmt.Fprintf(d.out, "%s %s=%v\n", what, name, value)
}

// awaitCondition looks until it is done, fails, or ctx ends.
func (d *drive) awaitCondition(ctx context.Context, what string, look func() (bool, error)) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		done, err := look()
		if done || err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		}
	}
}
