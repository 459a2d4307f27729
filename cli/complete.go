package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain"
)

// completionTimeout bounds how long a shell waits for completions. Failures on the
// way are not reported: there is nothing to complete then.
const completionTimeout = 2 * time.Second

type completions = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective)

// complete adds the completion of a flag.
func complete(cmd *cobra.Command, flag string, find func(toComplete string) ([]string, cobra.ShellCompDirective)) {
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
			return find(toComplete)
		})
}

// completeEventTypes completes types of events, which may be typed in small letters.
func completeEventTypes(toComplete string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, t := range domain.EventTypes() {
		names = append(names, string(t))
	}
	return beginning(strings.ToUpper(toComplete), names, nil), cobra.ShellCompDirectiveNoFileComp
}

func completeNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// beginning returns the words that begin with what was typed, without those that are there already. It changes the list
// of words.
func beginning(toComplete string, words, already []string) []string {
	return slices.DeleteFunc(words, func(word string) bool {
		return !strings.HasPrefix(word, toComplete) || slices.Contains(already, word)
	})
}

// completeKinds completes the names of kinds.
func completeKinds(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return beginning(toComplete, kindNames(), args), cobra.ShellCompDirectiveNoFileComp
}

// completeResources completes a kind, or all, and codes of it.
func completeResources(env Environment) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return beginning(toComplete, append(kindNames(), allKinds), nil), cobra.ShellCompDirectiveNoFileComp
		}
		kinds, err := parseKinds(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(toComplete, env.codes(cmd, kinds), args[1:]), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeResource completes one kind and one code.
func completeResource(env Environment) completions {
	return completeOne(env, kindNames())
}

// completeSecretOwner completes what can have secrets.
func completeSecretOwner(env Environment) completions {
	names := slices.DeleteFunc(kindNames(), func(name string) bool {
		kind, err := parseKind(name)
		return err != nil || !canHaveSecrets(kind)
	})
	return completeOne(env, names)
}

func completeOne(env Environment, names []string) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return beginning(toComplete, slices.Clone(names), nil), cobra.ShellCompDirectiveNoFileComp
		case 1:
			if kind, err := parseKind(args[0]); err == nil {
				codes := env.codes(cmd, []oasadmin.ResourceKind{oasadmin.ResourceKind(kind)})
				return beginning(toComplete, codes, nil), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeTenants completes the flag --tenant.
func completeTenants(env Environment, cmd *cobra.Command) {
	complete(cmd, "tenant", func(toComplete string) ([]string, cobra.ShellCompDirective) {
		codes := env.codes(cmd, []oasadmin.ResourceKind{oasadmin.ResourceKindTenant})
		return beginning(toComplete, codes, nil), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeCode completes the code of a resource of a kind, and leaves what
// follows to rest.
func completeCode(env Environment, kind oasadmin.ResourceKind, rest cobra.ShellCompDirective) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, rest
		}
		return beginning(toComplete, env.codes(cmd, []oasadmin.ResourceKind{kind}), nil), cobra.ShellCompDirectiveNoFileComp
	}
}

// codes returns the codes of resources.
func (env Environment) codes(cmd *cobra.Command, kinds []oasadmin.ResourceKind) []string {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	s, err := env.open(ctx, cmd.Flags())
	if err != nil {
		return nil
	}
	params := oasadmin.FindResourcesParams{Kind: kinds}
	if flag := cmd.Flags().Lookup("tenant"); flag != nil {
		params.Tenant = filter(flag.Value.String())
	}
	found, _, err := s.find(ctx, params, pageSize)
	if err != nil {
		return nil
	}
	codes := make([]string, len(found))
	for i, r := range found {
		codes[i] = r.Metadata.Code
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
