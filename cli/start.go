package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/form/locale"
	"github.com/procession-dev/procession/sdk/rest"
)

// startFlags contains the flags of start.
type startFlags struct {
	metadata, entity       []string
	extras                 []string
	initiator, id, related string
	tenant                 string
	watch, wait            bool
}

func newStartCommand(env Environment) *cobra.Command {
	var f startFlags
	var out *output
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "start DEFINITION", Args: requireArgs("the code of a process definition"), Short: "Start a process",
		Long: "Starts a process of a definition and writes its id. " + assignmentHelp + "\n" +
			"With @file they are taken from the JSON object in the file, @- for standard input. With --wait it returns when the\n" +
			"process has ended, and fails unless it is completed; with --watch it also shows the events until then.",
		Example: "  procession start LOAN\n" +
			"  procession start LOAN --metadata CUSTOMER=Carol --metadata AMOUNT:=1000 --watch",
		ValidArgsFunction: completeStart(env),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		process, err := f.start(cmd, s, args[0])
		if err != nil {
			return err
		}
		if err := out.writeStarted(cmd, process); err != nil || !f.wait && !f.watch {
			return err
		}
		h := s.historyOf(process.ID)
		if !f.watch {
			h.out = nil
		}
		return s.awaitEnd(cmd, h)
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&f.metadata, "metadata", nil, "`key=text`, key:=JSON or @file of the metadata; repeatable")
	flags.StringArrayVar(&f.entity, "entity", nil, "`key=text`, key:=JSON or @file of the entity; repeatable")
	flags.StringArrayVar(&f.extras, "extras", nil, "`key=text`, key:=JSON or @file of data for the workflow alone; repeatable")
	flags.StringVar(&f.initiator, "initiator", "", "start it for another user or application: its `e-mail` address, code or id")
	flags.StringVar(&f.related, "related", "", "the process with the `id` that the new one is related to")
	flags.StringVar(&f.id, "id", "", "`id` of the new process; repeating the start with the same id makes no change")
	flags.BoolVarP(&f.watch, "watch", "w", false, "show events until the process has ended")
	flags.BoolVar(&f.wait, "wait", false, "return when the process has ended")
	bindTenant(env, cmd, &f.tenant)
	out = bindOutput(cmd, formatName, formatJSON, formatYAML, formatJQ)
	return cmd
}

// writeStarted writes a process that was started.
func (o *output) writeStarted(cmd *cobra.Command, process rest.Process) error {
	for _, value := range []*rest.JSONValue{process.Metadata, process.Entity} {
		for _, fault := range faultsOf(value) {
			cmd.PrintErrln("not valid:", cellText(fault))
		}
	}
	if o.format == formatName {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), process.ID)
		return err
	}
	return o.write(cmd.Context(), cmd.OutOrStdout(), process, nil)
}

func (f *startFlags) start(cmd *cobra.Command, s *service, code string) (process rest.Process, err error) {
	var body rest.ProcessCreateParams
	if body.Metadata, err = objectOf(cmd, "metadata", f.metadata); err != nil {
		return process, err
	}
	if body.Entity, err = objectOf(cmd, "entity", f.entity); err != nil {
		return process, err
	}
	extras, err := objectOf(cmd, "extras", f.extras)
	if err != nil {
		return process, err
	}
	if extras != nil {
		body.Extras = extras.Value
	}
	for _, id := range []struct {
		flag, text string
		to         **uuid.UUID
	}{{"--id", f.id, &body.ID}, {"--related", f.related, &body.RelatedProcessID}} {
		if id.text == "" {
			continue
		}
		parsed, err := parseID(id.text, id.flag)
		if err != nil {
			return process, err
		}
		*id.to = &parsed
	}
	definition, err := s.findStartable(cmd.Context(), code, f.tenant)
	if err != nil {
		return process, err
	}
	body.ProcessDefinitionID, body.TenantID = &definition.ID, &definition.TenantID
	f.initiator = locale.Trim(f.initiator)
	switch {
	case strings.Contains(f.initiator, "@"):
		body.InitiatorEmail = &f.initiator
	case f.initiator != "":
		initiator, err := s.findPrincipal(cmd.Context(), "--initiator", f.initiator, f.tenant)
		if err != nil {
			return process, err
		}
		body.InitiatorID = &initiator
	}
	answer, err := s.rest.CreateProcess(cmd.Context(), body)
	return receive[rest.Process](s, answer, err)
}

// findStartable finds the definition with the code that the caller may start.
func (s *service) findStartable(ctx context.Context, code, tenant string) (found rest.ProcessDefinitionPageItem, err error) {
	params := rest.FindProcessDefinitionsParams{Size: new(pageSize), Startable: new(true)}
	if params.TenantID, err = s.memberTenant(ctx, "processes", tenant); err != nil {
		return found, err
	}
	answer, err := s.rest.FindProcessDefinitions(ctx, &params)
	page, err := receive[rest.ProcessDefinitionPage](s, answer, err)
	if err != nil {
		return found, err
	}
	var codes []string
	matches := 0
	for _, d := range page.Content {
		codes = append(codes, d.Code)
		if d.Code == code {
			found = d
			matches++
		}
	}
	switch {
	case matches > 1:
		return found, usageError("%d tenants have a definition %s that you may start: use --tenant", matches, code)
	case matches == 1:
		return found, nil
	}
	return found, &failure{kind: domain.KindNotFound, text: "there is no process definition " + code + " that you may start" +
		resource.DidYouMean(code, codes, ": there are "+cmp.Or(strings.Join(codes, ", "), "none"))}
}

// completeStart completes the code of a definition that the caller may start.
func completeStart(env Environment) completions {
	return completeWork(env, func(ctx context.Context, s *service) ([]string, error) {
		answer, err := s.rest.FindProcessDefinitions(ctx, &rest.FindProcessDefinitionsParams{Size: new(pageSize), Startable: new(true)})
		page, err := receive[rest.ProcessDefinitionPage](s, answer, err)
		var found []string
		for _, d := range page.Content {
			found = append(found, d.Code+"\t"+d.Name)
		}
		return found, err
	})
}
