package cli

import (
	"context"
	"encoding/base64"
	"os"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
)

// authorizationHeader returns the Authorization header: from the file in the flag, the variable
// with the token, the variable with the file, or the context, in this order. Errors do not
// contain the token.
func (env Environment) authorizationHeader(ctx context.Context, flags *pflag.FlagSet, name string, in *serverContext) (string, error) {
	if !flags.Changed("token-file") {
		if token, ok := env.LookupEnv(variableToken); ok && token != "" {
			return headerOf(token, variableToken)
		}
	}
	file := env.settingOf(flags, "token-file", variableTokenFile, in.TokenFile)
	if file == "" && in.Login != nil {
		token, err := env.signInToken(ctx, name, in)
		return "Bearer " + token, err
	}
	if file == "" {
		return "", usageError("no credentials: put a personal access token, or id:secret of an application, "+
			"into %s or into a file for --token-file, or sign in with procession login", variableToken)
	}
	content, err := os.ReadFile(file) //nolint:gosec // the user says which file
	if err != nil {
		return "", usageError("reading --token-file: %w", err)
	}
	return headerOf(string(content), file)
}

// headerOf returns the header for a token that is there at a place.
func headerOf(token, source string) (string, error) {
	token = strings.TrimSpace(token)
	if token == "" {
		return "", usageError("%s holds no token", source)
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return "", usageError("%s must contain a token and no other text", source)
	}
	id, secret, isPair := strings.Cut(token, ":")
	if !isPair {
		return "Bearer " + token, nil
	}
	if uuid.Validate(id) != nil || secret == "" {
		return "", usageError("%s holds neither a personal access token nor id:secret of an application", source)
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(token)), nil
}
