package httpio

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// compressedTag is the suffix that gzhttp adds to the tag of a compressed response.
const compressedTag = "-gzip"

// entityTag returns the strong tag of a representation: the version of the resource,
// which is the same for every caller and in every contract, and a digest of
// this representation. A resource without a version has the digest only.
func entityTag(version domain.Version, representation []byte) string {
	digest := sha256.Sum256(representation)
	if version == "" {
		return fmt.Sprintf(`"%x"`, digest[:8])
	}
	return fmt.Sprintf(`"%s.%x"`, version, digest[:8])
}

// versionTag returns a tag that names a version whatever it looks like.
func versionTag(version domain.Version) string { return `"` + string(version) + `"` }

// entityTags are the tags of If-Match or If-None-Match (RFC 9110, section 13.1).
type entityTags struct {
	any bool
	// strong and weak are opaque tags, without their quotes.
	strong, weak []string
}

// parseEntityTags reads the fields of a header. It returns nil for a header that is
// absent, and ok is false for one that is malformed.
func parseEntityTags(fields []string) (tags *entityTags, ok bool) {
	if len(fields) == 0 {
		return nil, true
	}
	rest := strings.Join(fields, ",")
	if strings.Trim(rest, " \t") == "*" {
		return &entityTags{any: true}, true
	}
	tags = &entityTags{}
	for {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			return tags, len(tags.strong)+len(tags.weak) > 0
		}
		quoted, weak := strings.CutPrefix(rest, "W/")
		opaque, ok := strings.CutPrefix(quoted, `"`)
		if !ok {
			return nil, false
		}
		opaque, rest, ok = strings.Cut(opaque, `"`)
		if !ok || strings.ContainsFunc(opaque, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
			return nil, false
		}
		if next := strings.TrimLeft(rest, " \t"); next != "" && next[0] != ',' {
			return nil, false
		}
		if weak {
			tags.weak = append(tags.weak, opaque)
		} else {
			tags.strong = append(tags.strong, opaque)
		}
	}
}

// listVersions returns the versions in the tags. Tags are compared strongly, so
// weak ones are skipped.
func (t *entityTags) listVersions() *domain.Versions {
	if t == nil {
		return nil
	}
	versions := &domain.Versions{Any: t.any}
	for _, tag := range t.strong {
		version, _, _ := strings.Cut(tag, ".")
		versions.Listed = append(versions.Listed, domain.Version(version))
	}
	return versions
}

// matchesStrongly reports whether one of the tags is the given one, compared strongly and
// without regard to compression.
func (t *entityTags) matchesStrongly(tag string) bool { return t.any || containsTag(t.strong, tag) }

// matchesWeakly is match with the weak comparison, for If-None-Match.
func (t *entityTags) matchesWeakly(tag string) bool {
	return t != nil && (t.matchesStrongly(tag) || containsTag(t.weak, tag))
}

func containsTag(opaque []string, tag string) bool {
	return slices.ContainsFunc(opaque, func(one string) bool {
		return `"`+strings.TrimSuffix(one, compressedTag)+`"` == tag
	})
}

// NotModified reports whether a client with the fields of If-None-Match has the
// representation with the tag.
func NotModified(fields []string, tag string) bool {
	tags, _ := parseEntityTags(fields)
	return tags.matchesWeakly(tag)
}
