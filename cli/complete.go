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

// completionTimeout bounds the search for completions. Failures are not reported: the
// shell then offers no completion.
const completionTimeout = 2 * time.Second

type completions = func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective)

// completeFlag adds the completion of a flag.
func completeFlag(cmd *cobra.Command, flag string, find func(toComplete string) ([]string, cobra.ShellCompDirective)) {
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
	return matchPrefix(strings.ToUpper(toComplete), names, nil), cobra.ShellCompDirectiveNoFileComp
}

func completeNothing(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// matchPrefix returns the words with the prefix toComplete, without the words in already. It modifies words.
func matchPrefix(toComplete string, words, already []string) []string {
	return slices.DeleteFunc(words, func(word string) bool {
		return !strings.HasPrefix(word, toComplete) || slices.Contains(already, word)
	})
}

// completeKinds completes the names of kinds.
func completeKinds(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return matchPrefix(toComplete, kindNames(), args), cobra.ShellCompDirectiveNoFileComp
}

// completeResources completes a kind, or all, and codes of it.
func completeResources(env Environment) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return matchPrefix(toComplete, append(kindNames(), allKinds), nil), cobra.ShellCompDirectiveNoFileComp
		}
		kinds, err := parseKinds(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return matchPrefix(toComplete, env.findCodes(cmd, kinds), args[1:]), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeResource completes one kind and one code.
func completeResource(env Environment) completions {
	return completeOne(env, kindNames())
}

// completeSecretOwner completes the kind and code of a resource with secrets.
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
			return matchPrefix(toComplete, slices.Clone(names), nil), cobra.ShellCompDirectiveNoFileComp
		case 1:
			if kind, err := parseKind(args[0]); err == nil {
				codes := env.findCodes(cmd, []oasadmin.ResourceKind{oasadmin.ResourceKind(kind)})
				return matchPrefix(toComplete, codes, nil), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeTenants completes the flag --tenant.
func completeTenants(env Environment, cmd *cobra.Command) {
	completeFlag(cmd, "tenant", func(toComplete string) ([]string, cobra.ShellCompDirective) {
		codes := env.findCodes(cmd, []oasadmin.ResourceKind{oasadmin.ResourceKindTenant})
		return matchPrefix(toComplete, codes, nil), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeCode completes the code of a resource of a kind. rest completes the following
// arguments.
func completeCode(env Environment, kind oasadmin.ResourceKind, rest cobra.ShellCompDirective) completions {
	return func(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, rest
		}
		return matchPrefix(toComplete, env.findCodes(cmd, []oasadmin.ResourceKind{kind}), nil), cobra.ShellCompDirectiveNoFileComp
	}
}

// findCodes returns the codes of resources.
func (env Environment) findCodes(cmd *cobra.Command, kinds []oasadmin.ResourceKind) []string {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
	defer cancel()
	s, err := env.connect(ctx, cmd.Flags())
	if err != nil {
		return nil
	}
	params := oasadmin.FindResourcesParams{Kind: kinds}
	if flag := cmd.Flags().Lookup("tenant"); flag != nil {
		params.Tenant = filterOf(flag.Value.String())
	}
	found, _, err := s.findResources(ctx, params, pageSize)
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
