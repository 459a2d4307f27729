package lang

// germanTokens has the texts about the user's own tokens.
func germanTokens() map[string]string {
	return map[string]string{
		"Your tokens": "Ihre Tokens",
		"Whoever has one of these tokens acts as you. Revoke tokens that you do not know.": "Wer eines dieser Tokens hat, handelt als Sie. Widerrufen Sie Tokens, die Sie nicht kennen.",
		"Browsers in which you are signed in":                                              "Browser, in denen Sie angemeldet sind",
		"Tokens marked as new were issued by somebody else.":                               "Als neu markierte Tokens hat jemand anderes ausgestellt.",
		"I know these tokens":   "Ich kenne diese Tokens",
		"No token acts as you.": "Kein Token handelt als Sie.",
		"new":                   "neu",
		"for all tenants":       "für alle Mandanten",
		"for %s":                "für %s",
		"issued by %s":          "ausgestellt von %s",
		"issued":                "ausgestellt",
		"not used yet":          "noch nicht benutzt",
		"without an end":        "ohne Ende",
		"Declared by an administrator, who can remove it": "Von einem Administrator deklariert, der es entfernen kann",
		"Revoke %s": "%s widerrufen",
		"Somebody else has issued a token that acts as you.": "Jemand anderes hat ein Token ausgestellt, das als Sie handelt.",
		"Token":                            "Token",
		"A token that another user issued": "Ein Token, das ein anderer Benutzer ausgestellt hat",
		"All of this token":                "Alles zu diesem Token",
	}
}
