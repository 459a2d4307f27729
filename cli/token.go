package cli

import (
	"context"
	"encoding/base64"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
)

// authorization returns the value of the header that proves who asks: a file given as
// a flag, else the variable with the token, else the one with the file, else what the
// context has. Nothing it says holds the token.
func (env Environment) authorization(ctx context.Context, flags *pflag.FlagSet, name string, in *serverContext) (string, error) {
	if !flags.Changed("token-file") {
		if token, ok := env.LookupEnv(variableToken); ok && token != "" {
			return header(token, variableToken)
		}
	}
	file := env.setting(flags, "token-file", variableTokenFile, in.TokenFile)
	if file == "" && in.Login != nil {
		token, err := env.token(ctx, name, in)
		return "Bearer " + token, err
	}
	if file == "" {
		return "", misuse("no credentials: put a personal access token, or id:secret of an application, "+
			"into %s or into a file for --token-file, or sign in with procession login", variableToken)
	}
	content, err := os.ReadFile(file) //nolint:gosec // the user says which file
	if err != nil {
		return "", misuse("reading --token-file: %w", err)
	}
	return header(string(content), file)
}

// header returns the header for a token that is there at a place.
func header(token, place string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", misuse("%s holds no token", place)
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return "", misuse("%s does not hold a token alone: there must be nothing beside it", place)
	}
	id, secret, isPair := strings.Cut(token, ":")
	if !isPair {
		return "Bearer " + token, nil
	}
	if uuid.Validate(id) != nil || secret == "" {
		return "", misuse("%s holds neither a personal access token nor id:secret of an application", place)
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(token)), nil
}
