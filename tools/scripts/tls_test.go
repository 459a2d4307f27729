package scripts_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TLS settings are made by the function of their module that names the cipher suites, or they require TLS 1.3. The HTTP
// clients of programs have such settings too, because Go's default transport also offers suites of CBC mode.
func TestTLSSettingsFollowThePolicy(t *testing.T) {
	t.Parallel()
	policies := regexp.MustCompile(`(^|/)(internal/tlspolicy/|sdk/transport/)`)
	exempt := regexp.MustCompile(`(_test\.go$|(^|/)test/kit/|(^|/)bench/|/processiontest/|(^|/)compat/|^(\.\./)*test/stores/|(^|/)examples/)`)
	settings := regexp.MustCompile(`(.*)&tls\.Config\{(.*\n.*)`)
	transports := regexp.MustCompile(`&http\.Transport\{`)
	clients := regexp.MustCompile(`http\.(Client\{|DefaultClient|DefaultTransport|Get\(|Post\()`)
	handWritten(t, `\.go$`, func(path string, text []byte) {
		if exempt.MatchString(path) || policies.MatchString(path) {
			return
		}
		source := string(text)
		for _, found := range settings.FindAllStringSubmatch(source, -1) {
			require.True(t, strings.Contains(found[1], "tlspolicy.Restrict(") || strings.Contains(found[2], "tls.VersionTLS13"),
				"%s makes settings without tlspolicy: %s", path, found[0])
		}
		if transports.MatchString(source) {
			require.Regexp(t, `TLSClientConfig|DialTLSContext`, source, path)
		}
		if clients.MatchString(source) {
			require.Contains(t, source, "Transport:", path)
		}
	})
}
