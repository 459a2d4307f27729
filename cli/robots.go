package cli

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/domain/resource"
)

const (
	// uploadTimeout bounds an upload unless the user says otherwise.
	uploadTimeout = "30m0s"
	// maxVariable bounds the value of an environment variable in bytes. The limit of the
	// service is lower.
	maxVariable = 64 << 10
)

func newRobotsCommand(env Environment) *cobra.Command {
	return newGroup("robots", "Upload the files of robots and set their environment",
		newRobotsUploadCommand(env, "upload-source CODE FILE", "Upload the source package of a robot, in the place of the one before", nil),
		newRobotsUploadCommand(env, "upload-asset CODE FILE", "Upload an asset of a robot, in the place of the same one before", &asset{}),
		newRobotsDeleteCommand(env, "delete-source CODE", "Delete the source package of a robot", nil),
		newRobotsDeleteCommand(env, "delete-asset CODE", "Delete an asset of a robot", &asset{}),
		newRobotsSetCommand(env), newRobotsUnsetCommand(env))
}

// asset identifies an asset.
type asset struct{ kind, version, platform, architecture string }

func (a *asset) bindFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&a.kind, "type", "", "type: `PYTHON`, PYTHON_PIP or NODEJS; required")
	f.StringVar(&a.version, "version", "", "`version` of the type; required")
	f.StringVar(&a.platform, "platform", "", "platform: WINDOWS, MAC_OS or `LINUX`; required")
	f.StringVar(&a.architecture, "architecture", "", "architecture: X86_32 or `X86_64`; required")
}

func (a *asset) checkFlags(cmd *cobra.Command) error {
	for _, flag := range []struct {
		name  string
		valid bool
	}{
		{"type", oasadmin.RobotAssetType(a.kind).Valid()},
		{"version", a.version != ""},
		{"platform", oasadmin.RobotAssetPlatform(a.platform).Valid()},
		{"architecture", oasadmin.RobotAssetArchitecture(a.architecture).Valid()},
	} {
		if !flag.valid {
			return usageError("%s needs --%s: see %[1]s --help", cmd.CommandPath(), flag.name)
		}
	}
	return nil
}

// robotFile is a file that is about to be uploaded.
type robotFile struct {
	tenant, name, contentType string
	content                   *os.File
	size                      int64
}

// setLength sets Content-Length, so that the service refuses a file that is too large before
// it is sent.
func (f *robotFile) setLength(_ context.Context, r *http.Request) error {
	r.ContentLength = f.size
	return nil
}

// newRobotsUploadCommand uploads an asset, or without one the source package.
func newRobotsUploadCommand(env Environment, use, short string, a *asset) *cobra.Command {
	var file robotFile
	cmd := newServiceCommand(env, &cobra.Command{
		Use: use, Args: requireArgs("the code of a robot", "a file"), Short: short,
		Long:              short + ". It is sent as it is read, and replaces the one before as a whole.",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindRobot, cobra.ShellCompDirectiveDefault),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		if a != nil {
			if err := a.checkFlags(cmd); err != nil {
				return err
			}
		}
		return uploadFile(cmd, s, args[0], args[1], a, file)
	})
	timeout := cmd.Flags().Lookup("timeout")
	timeout.DefValue = uploadTimeout
	// The value is valid.
	_ = timeout.Value.Set(uploadTimeout)
	bindTenant(env, cmd, &file.tenant)
	cmd.Flags().StringVar(&file.name, "name", "", "`name` under which it is downloaded; that of the file unless given")
	cmd.Flags().StringVar(&file.contentType, "content-type", "", "media `type`; by the extension of the name unless given")
	if a != nil {
		a.bindFlags(cmd)
	}
	return cmd
}

func uploadFile(cmd *cobra.Command, s *service, code, path string, a *asset, file robotFile) (err error) {
	if file.content, err = os.Open(path); err != nil { //nolint:gosec // the user says which file
		return usageError("opening the file: %w", err)
	}
	defer func() { _ = file.content.Close() }()
	info, err := file.content.Stat()
	if err != nil {
		return fmt.Errorf("measuring %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return usageError("%s is not a file", path)
	}
	file.size = info.Size()
	if file.name == "" {
		file.name = filepath.Base(path)
	}
	if file.contentType == "" {
		file.contentType = mediaType(file.name)
	}
	stored, err := s.sendRobotFile(cmd.Context(), code, a, &file)
	if err != nil {
		return withName(err, resource.KindRobot, code)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s uploaded: %d bytes, sha256 %s\n", stored.Name, stored.ContentLength, stored.ContentHash)
	return err
}

func (s *service) sendRobotFile(ctx context.Context, code string, a *asset, file *robotFile) (oasadmin.RobotFile, error) {
	const bytes = "application/octet-stream"
	if a == nil {
		answer, err := s.UploadRobotSourceWithBody(ctx, code, &oasadmin.UploadRobotSourceParams{
			Tenant: nonEmpty(file.tenant), FileName: file.name, FileContentType: file.contentType,
		}, bytes, file.content, file.setLength)
		return receive[oasadmin.RobotFile](s, answer, err)
	}
	answer, err := s.UploadRobotAssetWithBody(ctx, code, &oasadmin.UploadRobotAssetParams{
		Tenant: nonEmpty(file.tenant), FileName: file.name, FileContentType: file.contentType,
		Type: oasadmin.RobotAssetType(a.kind), Version: a.version,
		Platform: oasadmin.RobotAssetPlatform(a.platform), Architecture: oasadmin.RobotAssetArchitecture(a.architecture),
	}, bytes, file.content, file.setLength)
	return receive[oasadmin.RobotFile](s, answer, err)
}

// mediaType guesses by the extension of a name.
func mediaType(name string) string {
	extension := strings.ToLower(filepath.Ext(name))
	if extension == ".zip" || extension == ".whl" {
		return "application/zip"
	}
	if byExtension := mime.TypeByExtension(extension); byExtension != "" {
		return byExtension
	}
	return "application/octet-stream"
}

// newRobotsDeleteCommand deletes an asset, or without one the source package.
func newRobotsDeleteCommand(env Environment, use, short string, a *asset) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: use, Args: requireArgs("the code of a robot"), Short: short,
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindRobot, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		kind := "source package"
		var answer *http.Response
		var err error
		if a == nil {
			answer, err = s.DeleteRobotSource(cmd.Context(), args[0], &oasadmin.DeleteRobotSourceParams{Tenant: nonEmpty(tenant)})
		} else {
			if err := a.checkFlags(cmd); err != nil {
				return err
			}
			kind = "asset"
			answer, err = s.DeleteRobotAsset(cmd.Context(), args[0], &oasadmin.DeleteRobotAssetParams{
				Tenant: nonEmpty(tenant), Type: oasadmin.RobotAssetType(a.kind), Version: a.version,
				Platform: oasadmin.RobotAssetPlatform(a.platform), Architecture: oasadmin.RobotAssetArchitecture(a.architecture),
			})
		}
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s of Robot/%s deleted\n", kind, args[0])
		return err
	})
	bindTenant(env, cmd, &tenant)
	if a != nil {
		a.bindFlags(cmd)
	}
	return cmd
}

func newRobotsSetCommand(env Environment) *cobra.Command {
	var tenant, file string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "set-env CODE NAME", Args: requireArgs("the code of a robot", "the name of a variable"),
		Short: "Set an environment variable of a robot from standard input",
		Long: "Sets an environment variable of a robot to the text of standard input or a file, without the line break\n" +
			"at its end. The service keeps it sealed; this command line cannot show it again.",
		Example:           "  pass show kyc | procession robots set-env KYC_BOT API_TOKEN",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindRobot, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		value, err := readVariable(cmd, file)
		if err != nil {
			return err
		}
		answer, err := s.SetRobotVariable(cmd.Context(), args[0], args[1],
			&oasadmin.SetRobotVariableParams{Tenant: nonEmpty(tenant)}, oasadmin.RobotVariableParams{Value: value})
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return withName(err, resource.KindRobot, args[0])
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s of Robot/%s set\n", args[1], args[0])
		return err
	})
	bindTenant(env, cmd, &tenant)
	cmd.Flags().StringVar(&file, "file", "", "`file` with the value, instead of standard input")
	return cmd
}

// readVariable reads the value of an environment variable. It is never an argument,
// which other users of the machine could see.
func readVariable(cmd *cobra.Command, path string) (string, error) {
	from := cmd.InOrStdin()
	if path != "" {
		file, err := os.Open(path) //nolint:gosec // the user says which file
		if err != nil {
			return "", usageError("opening the file: %w", err)
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, maxVariable))
	if err != nil {
		return "", fmt.Errorf("reading the value: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

func newRobotsUnsetCommand(env Environment) *cobra.Command {
	var tenant string
	cmd := newServiceCommand(env, &cobra.Command{
		Use: "unset-env CODE NAME", Args: requireArgs("the code of a robot", "the name of a variable"),
		Short:             "Delete an environment variable of a robot",
		ValidArgsFunction: completeCode(env, oasadmin.ResourceKindRobot, cobra.ShellCompDirectiveNoFileComp),
	}, func(cmd *cobra.Command, s *service, args []string) error {
		if err := checkCode(args[0]); err != nil {
			return err
		}
		answer, err := s.DeleteRobotVariable(cmd.Context(), args[0], args[1],
			&oasadmin.DeleteRobotVariableParams{Tenant: nonEmpty(tenant)})
		if _, err := receive[struct{}](s, answer, err); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s of Robot/%s deleted\n", args[1], args[0])
		return err
	})
	bindTenant(env, cmd, &tenant)
	return cmd
}
