package cli

import (
	"slices"
	"strings"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

// allKinds stands for every kind.
const allKinds = "all"

func isNamed(kind resource.Definition, name string) bool {
	own := strings.ToLower(string(kind.Kind))
	return name == own || name == own+"s" || slices.Contains(kind.ShortNames, name)
}

// parseKind finds the kind that a name, in any case, stands for.
func parseKind(name string) (resource.Kind, error) {
	for _, kind := range resource.Definitions() {
		if isNamed(kind, strings.ToLower(name)) {
			return kind.Kind, nil
		}
	}
	return "", usageError("%q is not a kind of resource%s", name, resource.DidYouMean(name, kindWords(), ": there are "+kindHelp()))
}

// parseKinds finds the kinds of names separated by commas; none for all of them.
func parseKinds(names string) ([]oasadmin.ResourceKind, error) {
	if strings.EqualFold(names, allKinds) {
		return nil, nil
	}
	var kinds []oasadmin.ResourceKind
	for name := range strings.SplitSeq(names, ",") {
		kind, err := parseKind(name)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, oasadmin.ResourceKind(kind))
	}
	return kinds, nil
}

// kindNames returns the names of all kinds as people type them.
func kindNames() []string {
	var names []string
	for _, kind := range resource.Kinds() {
		names = append(names, strings.ToLower(string(kind)))
	}
	return names
}

// kindWords returns the names of kinds with all their short names.
func kindWords() []string {
	words := kindNames()
	for _, kind := range resource.Definitions() {
		words = append(words, kind.ShortNames...)
	}
	return words
}

// canHaveSecrets reports whether secrets are issued to resources of the kind.
func canHaveSecrets(kind resource.Kind) bool { return slices.Contains(resource.SecretOwners(), kind) }
