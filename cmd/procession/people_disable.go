package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/domain"
)

// newDisableCommand creates the command that disables a person, with a decision about the open work.
func newDisableCommand() *cobra.Command {
	var handOver string
	var yes bool
	disable := func(ctx context.Context, cmd *cobra.Command, s *administration.Service, email string) error {
		to, ok := domain.ParseHandOver(handOver)
		if !ok {
			return config.UsageError{Err: fmt.Errorf("--hand-over %s", domain.HandOverSyntax)}
		}
		found, err := s.FindPersonWork(ctx, email)
		if err != nil {
			return err
		}
		for _, work := range found {
			cmd.PrintErrln("open work in", work)
		}
		if len(found) > 0 && to == nil && !yes {
			if err := confirm(cmd, "Disable and leave the work without an owner?"); err != nil {
				return err
			}
		}
		if _, err := s.DisablePerson(ctx, email, true); err != nil {
			return err
		}
		if to == nil || to.Keep {
			return nil
		}
		done, err := s.HandOverPersonWork(ctx, found, *to)
		for _, work := range done {
			cmd.PrintErrln("handed over in", work)
		}
		if err != nil {
			return fmt.Errorf("%s is disabled, but its work is not handed over: %w", email, err)
		}
		return nil
	}
	cmd := onPersonWith("disable", "Disable a person in all tenants", "is disabled", disable)
	cmd.Flags().StringVar(&handOver, "hand-over", "",
		"the `decision` about the open work in each tenant: keep, release (to the candidates), user/CODE or group/CODE")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask about open work, which is left without an owner")
	return cmd
}

// confirm asks a question on the terminal. Any answer but yes is an error.
func confirm(cmd *cobra.Command, question string) error {
	cmd.PrintErr(question + " [y/N] ")
	line, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	switch answer := strings.ToLower(strings.TrimSpace(line)); {
	case answer == "y" || answer == "yes":
		return nil
	case err != nil && answer == "":
		return config.UsageError{Err: errors.New("standard input has ended: use --yes to confirm, or --hand-over")}
	}
	return errors.New("aborted without a change")
}
