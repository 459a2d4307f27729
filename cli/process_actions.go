package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/sdk/rest"
)

func newProcessesActionsCommand(env Environment) *cobra.Command {
	var out *output
	cmd := processCommand(env, &cobra.Command{
		Use: "actions", Short: "List the user actions that you may invoke on a process now",
		Long: "Lists the user actions that you may invoke on a process now, with their parameters. procession actions explain says\n" +
			"why others are not offered, to administrators.",
	}, func(cmd *cobra.Command, s *service, id uuid.UUID) error {
		found, err := s.availableActions(cmd.Context(), id)
		if err != nil {
			return err
		}
		if len(found) == 0 && out.isTable() {
			cmd.PrintErrln("no user actions")
			return nil
		}
		return out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) {
			writeRow(v, "CODE", "NAME", "TYPE", "TAKES")
			for _, a := range found {
				writeRow(v, a.Code, a.Name, string(a.Type), strings.Join(inputNames(a), ", "))
			}
		})
	})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func (s *service) availableActions(ctx context.Context, process uuid.UUID) ([]rest.AvailableProcessAction, error) {
	answer, err := s.rest.FindAvailableProcessActions(ctx, process)
	found, err := receive[rest.AvailableProcessActions](s, answer, err)
	return found.Content, err
}

// inputNames returns the names of the inputs of an action: the last tokens of their JSON pointers.
func inputNames(action rest.AvailableProcessAction) []string {
	var names []string
	for _, p := range action.Parameters {
		name := p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:]
		if p.Required {
			name += " (required)"
		}
		names = append(names, name)
	}
	return names
}

// invocation contains the flags of invoke.
type invocation struct {
	input    []string
	id, file string
	wait     bool
}

func newProcessesInvokeCommand(env Environment) *cobra.Command {
	var f invocation
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "invoke ID ACTION", Args: requireArgs("the id of a process", "the code of a user action"),
		Short: "Invoke a user action on a process",
		Long: "Invokes a user action on a process and writes its state. procession processes actions lists the\n" +
			"available ones and their parameters. " + assignmentHelp + "\n" +
			"With --wait it returns when the action has ended, and fails unless it is completed. --to does so too, and writes the\n" +
			"document of a DOWNLOADABLE action to a new file.",
		Example: "  procession processes invoke 01970000-0000-7000-8000-000000000001 REMIND --input 'text=Please sign'\n" +
			"  procession processes invoke 01970000-0000-7000-8000-000000000001 EXPORT --to export.pdf",
		ValidArgsFunction: completeProcess(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		process, err := parseID(args[0], "the id of the process, which processes list shows")
		if err != nil {
			return err
		}
		action, err := f.invoke(cmd, s, process, args[1])
		if err == nil && (f.wait || f.file != "") {
			action, err = s.awaitAction(cmd.Context(), process, action)
		}
		if err != nil {
			return err
		}
		if err := writeAction(cmd, out, action); err != nil {
			return err
		}
		if f.file == "" || action.Status != rest.ProcessActionStatusCOMPLETED {
			return endOf(action)
		}
		return s.saveResult(cmd, process, action, f.file)
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&f.input, "input", nil, "`name=text`, name:=JSON or @file of a parameter; repeatable")
	flags.StringVar(&f.id, "id", "", "`id` of the invocation; repeating it with the same id makes no change")
	flags.BoolVar(&f.wait, "wait", false, "return when the action has ended")
	flags.StringVar(&f.file, "to", "", "write the document of the action to the new `file`")
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

func (f *invocation) invoke(cmd *cobra.Command, s *service, process uuid.UUID, code string) (created rest.ProcessAction, err error) {
	offered, err := s.availableActions(cmd.Context(), process)
	if err != nil {
		return created, notFound(err, "process "+process.String())
	}
	body := map[string]any{"processActionDefinitionCode": code}
	if f.id != "" {
		if body["id"], err = parseID(f.id, "--id"); err != nil {
			return created, err
		}
	}
	input, err := objectOf(cmd, "input", f.input)
	if err != nil {
		return created, err
	}
	if input != nil {
		if err := placeInput(body, input.Value, offered, code); err != nil {
			return created, err
		}
	}
	text, err := jsontext.Marshal(body)
	if err != nil {
		return created, err
	}
	answer, err := s.rest.CreateProcessActionWithBody(cmd.Context(), process, "application/json", bytes.NewReader(text))
	created, err = receive[rest.ProcessAction](s, answer, err)
	return created, notFound(err, "user action "+code)
}

// placeInput puts the members of the input where the action takes them.
func placeInput(body map[string]any, input json.RawMessage, offered []rest.AvailableProcessAction, code string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil {
		return usageError("--input: %w", err)
	}
	for _, action := range offered {
		if action.Code != code {
			continue
		}
		for _, p := range action.Parameters {
			block, name, found := strings.Cut(strings.TrimPrefix(p.Pointer, "/"), "/")
			value, ok := members[name]
			if !found || !ok {
				continue
			}
			inside, _ := body[block].(map[string]json.RawMessage)
			if inside == nil {
				inside = map[string]json.RawMessage{}
				body[block] = inside
			}
			inside[name] = value
			delete(members, name)
		}
		for name := range members {
			return usageError("--input: %s has no parameter %s; its parameters: %s", code, name, cmp.Or(strings.Join(inputNames(action), ", "), "none"))
		}
	}
	return nil
}

// awaitAction returns the action once it has ended.
func (s *service) awaitAction(ctx context.Context, process uuid.UUID, action rest.ProcessAction) (rest.ProcessAction, error) {
	err := pollUntil(ctx, func() (bool, error) {
		if action.Status != rest.ProcessActionStatusREQUESTED {
			return true, nil
		}
		answer, err := s.rest.RetrieveProcessAction(ctx, process, action.ID)
		found, err := receive[rest.ProcessAction](s, answer, err)
		if err == nil {
			action = found
		}
		return err == nil && action.Status != rest.ProcessActionStatusREQUESTED, err
	})
	return action, err
}

// endOf fails for an action that has ended without being completed.
func endOf(action rest.ProcessAction) error {
	switch action.Status {
	case rest.ProcessActionStatusERROR, rest.ProcessActionStatusCANCELED:
		return fmt.Errorf("the action is %s", action.Status)
	case rest.ProcessActionStatusREQUESTED, rest.ProcessActionStatusCOMPLETED:
	}
	return nil
}

func writeAction(cmd *cobra.Command, out *output, action rest.ProcessAction) error {
	for _, e := range action.Errors {
		cmd.PrintErrln(cellText(strings.TrimSpace(valueOf(e.Location) + " " + e.Message)))
	}
	return out.write(cmd.Context(), cmd.OutOrStdout(), action, func(v view) {
		writeRow(v, action.ID.String()+" "+string(action.Status))
	})
}

// saveResult writes the document of an action to a new file.
func (s *service) saveResult(cmd *cobra.Command, process uuid.UUID, action rest.ProcessAction, file string) (err error) {
	if action.Downloadable == nil || action.Downloadable.DocumentURI == nil {
		return usageError("--to: the action has no document")
	}
	answer, err := s.rest.DownloadProcessDocument(cmd.Context(), process,
		&rest.DownloadProcessDocumentParams{DocumentURI: *action.Downloadable.DocumentURI})
	if err != nil {
		return s.requestFailure(err)
	}
	if answer.StatusCode != http.StatusOK {
		_, err := receive[struct{}](s, answer, nil)
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	to, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, privateFile) //nolint:gosec // the user names the file
	if err != nil {
		return usageError("--to: %w", err)
	}
	_, err = io.Copy(to, answer.Body)
	return errors.Join(err, to.Close())
}
