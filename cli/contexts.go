package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/procession-dev/procession/domain"
)

const (
	variableContext = "PROCESSION_CONTEXT"
	contextsFile    = "contexts.json"
	privateFolder   = 0o700
	privateFile     = 0o600
)

// contexts is the file with the servers that the user works with.
type contexts struct {
	Current  string                    `json:"current,omitempty"`
	Contexts map[string]*serverContext `json:"contexts"`
}

// serverContext is a server, and who the user is there.
type serverContext struct {
	Server    string  `json:"server"`
	CAFile    string  `json:"caFile,omitempty"`
	Tenant    string  `json:"tenant,omitempty"`
	TokenFile string  `json:"tokenFile,omitempty"`
	Login     *signIn `json:"login,omitempty"`
}

// signIn is the result of signing in through an issuer.
type signIn struct {
	Issuer   string   `json:"issuer"`
	ClientID string   `json:"clientId"`
	Scopes   []string `json:"scopes"`
	// AccessToken reports whether Token is the access token instead of the ID token.
	AccessToken bool `json:"accessToken,omitempty"`
	// Subject is the user at the issuer.
	Subject      string    `json:"subject,omitempty"`
	Token        string    `json:"token"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	Expiry       time.Time `json:"expiry"`
}

// configFile returns the path of a file in the folder of the user's configuration.
func (env Environment) configFile(file string) (string, error) {
	if folder, ok := env.LookupEnv("XDG_CONFIG_HOME"); ok && filepath.IsAbs(folder) {
		return filepath.Join(folder, "procession", file), nil
	}
	home, ok := env.LookupEnv("HOME")
	if !ok || home == "" {
		return "", usageError("there is no folder for the configuration: set XDG_CONFIG_HOME or HOME")
	}
	return filepath.Join(home, ".config", "procession", file), nil
}

// readContexts reads the contexts; there are none where there is no file. A file that
// others may read is refused, for it holds credentials.
func (env Environment) readContexts() (*contexts, error) {
	stored := &contexts{Contexts: map[string]*serverContext{}}
	path, err := env.configFile(contextsFile)
	if err != nil {
		return stored, nil //nolint:nilerr // without a folder there are no contexts
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stored, nil
	}
	if err == nil && info.Mode().Perm()&^privateFile != 0 {
		return nil, usageError("%s holds credentials and may be read by others: chmod 600 %[1]s", path)
	}
	text, err := os.ReadFile(path) //nolint:gosec // in the folder of the user's configuration
	if err != nil {
		return nil, usageError("reading the contexts: %w", err)
	}
	if err := json.Unmarshal(text, stored); err != nil {
		return nil, usageError("reading %s: %w", path, err)
	}
	return stored, nil
}

// changeContexts calls change with the contexts while no other command changes them, and
// writes them. The file is replaced as a whole, and only its owner may read it.
func (env Environment) changeContexts(change func(*contexts) error) error {
	path, err := env.configFile(contextsFile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), privateFolder); err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	lock := flock.New(path+".lock", flock.SetPermissions(privateFile))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("locking the contexts: %w", err)
	}
	defer func() { _ = lock.Unlock() }() // the end of the program unlocks as well
	stored, err := env.readContexts()
	if err != nil {
		return err
	}
	if err := change(stored); err != nil {
		return err
	}
	text, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	fresh := path + ".new"
	err = os.WriteFile(fresh, append(text, '\n'), privateFile)
	if err == nil {
		err = os.Chmod(fresh, privateFile) // a file that was left over keeps its mode
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	return nil
}

// findContext returns the context with the name.
func (c *contexts) findContext(name string) (*serverContext, error) {
	if found := c.Contexts[name]; found != nil {
		return found, nil
	}
	return nil, &failure{kind: domain.KindNotFound, text: fmt.Sprintf("there is no context %q; context list shows the existing ones", name)}
}

// currentContext returns the context that a command works in, and its name: the one that
// --context names, or else the current one; an empty one where there is none.
func (env Environment) currentContext(flags *pflag.FlagSet) (string, *serverContext, error) {
	stored, err := env.readContexts()
	if err != nil {
		return "", nil, err
	}
	name := env.settingOf(flags, "context", variableContext, "")
	if name == "" {
		name = stored.Current
	}
	if name == "" {
		return "", &serverContext{}, nil
	}
	found, err := stored.findContext(name)
	return name, found, err
}

func newContextCommand(env Environment) *cobra.Command {
	return newGroup("context", "Choose among several servers, and who you are there",
		newContextListCommand(env), newContextUseCommand(env), newContextAddCommand(env), newContextRemoveCommand(env))
}

// withoutService returns a command that does not call the service.
func withoutService(cmd *cobra.Command, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError("%w", err) })
	cmd.RunE = run
	return cmd
}

// shownContext is a context without its credentials.
type shownContext struct {
	Name    string `json:"name"`
	Current bool   `json:"current"`
	Server  string `json:"server"`
	Tenant  string `json:"tenant,omitempty"`
	SignIn  string `json:"signIn"`
}

func newContextListCommand(env Environment) *cobra.Command {
	var out *output
	cmd := withoutService(&cobra.Command{Use: "list", Args: requireArgs(), Short: "List the contexts"},
		func(cmd *cobra.Command, _ []string) error {
			stored, err := env.readContexts()
			if err != nil {
				return err
			}
			rows := []shownContext{}
			for _, name := range slices.Sorted(maps.Keys(stored.Contexts)) {
				c := stored.Contexts[name]
				rows = append(rows, shownContext{name, name == stored.Current, c.Server, c.Tenant, c.signInText(env.Clock())})
			}
			if len(rows) == 0 && out.isTable() {
				cmd.PrintErrln("no contexts")
				return nil
			}
			return out.write(cmd.Context(), cmd.OutOrStdout(), rows, func(v view) {
				v.writeTitles([]string{"CURRENT", "NAME", "SERVER", "TENANT", "SIGNED IN"})
				for _, c := range rows {
					current := ""
					if c.Current {
						current = "*"
					}
					writeRow(v, current, c.Name, c.Server, c.Tenant, c.SignIn)
				}
			})
		})
	out = bindOutput(cmd, formatTable, formatJSON, formatYAML, formatJQ)
	return cmd
}

// signInText returns how the user signs in.
func (c *serverContext) signInText(now time.Time) string {
	switch {
	case c.TokenFile != "":
		return "token in " + c.TokenFile
	case c.Login == nil:
		return "no"
	case c.Login.RefreshToken == "" && now.After(c.Login.Expiry):
		return "expired"
	default:
		return "through " + c.Login.Issuer
	}
}

// completeContexts completes the name of a context.
func completeContexts(env Environment) completions {
	return func(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		stored, err := env.readContexts()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return matchPrefix(toComplete, slices.Sorted(maps.Keys(stored.Contexts)), nil), cobra.ShellCompDirectiveNoFileComp
	}
}

func newContextUseCommand(env Environment) *cobra.Command {
	return withoutService(&cobra.Command{
		Use: "use NAME", Args: requireArgs("the name of a context"), Short: "Work in a context from now on",
		ValidArgsFunction: completeContexts(env),
	}, func(_ *cobra.Command, args []string) error {
		return env.changeContexts(func(c *contexts) error {
			_, err := c.findContext(args[0])
			c.Current = args[0]
			return err
		})
	})
}

func newContextAddCommand(env Environment) *cobra.Command {
	var added serverContext
	var insecure bool
	cmd := withoutService(&cobra.Command{
		Use: "add NAME --server ADDRESS", Args: requireArgs("the name of the context"), Short: "Add a context, or change one, and work in it",
		Long: "Adds a context: the address of a service, and how to sign in there, which is a token in a file or procession login.\n" +
			"The contexts are kept in procession/contexts.json in XDG_CONFIG_HOME, or else in ~/.config, which only you can read.\n" +
			"Flags and the environment override the context.",
		Example: "  procession context add production --server https://procession.example --tenant north\n" +
			"  procession login --issuer https://login.example/realms/staff --client-id procession",
		ValidArgsFunction: completeNothing,
	}, func(cmd *cobra.Command, args []string) error {
		server, err := checkAddress(added.Server, insecure)
		if err != nil {
			return err
		}
		for _, file := range []*string{&added.CAFile, &added.TokenFile} {
			if *file == "" {
				continue
			}
			if *file, err = filepath.Abs(*file); err != nil {
				return usageError("%w", err)
			}
		}
		return env.changeContexts(func(c *contexts) error {
			target := added
			target.Server = server
			if existing := c.Contexts[args[0]]; existing != nil && existing.Server == server {
				target.Login = existing.Login
			}
			c.Contexts[args[0]], c.Current = &target, args[0]
			return nil
		})
	})
	f := cmd.Flags()
	f.StringVar(&added.Server, "server", "", "`address` of the service; required")
	f.StringVar(&added.CAFile, "ca-file", "", "PEM `file` with the certificate authorities to trust")
	f.StringVar(&added.Tenant, "tenant", "", "`code` of the tenant that lists and commands about one resource are for, unless --tenant is given")
	f.StringVar(&added.TokenFile, "token-file", "", "`file` with a personal access token, or with id:secret of an application")
	f.BoolVar(&insecure, "insecure", false, "allow http to another machine, which shows the token to the network")
	return cmd
}

func newContextRemoveCommand(env Environment) *cobra.Command {
	return withoutService(&cobra.Command{
		Use: "remove NAME", Args: requireArgs("the name of a context"), Short: "Remove a context with its credentials",
		ValidArgsFunction: completeContexts(env),
	}, func(_ *cobra.Command, args []string) error {
		return env.changeContexts(func(c *contexts) error {
			_, err := c.findContext(args[0])
			delete(c.Contexts, args[0])
			if c.Current == args[0] {
				c.Current = ""
			}
			return err
		})
	})
}
