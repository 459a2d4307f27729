package lang

// germanTokens has the texts about the user's own tokens.
func germanTokens() map[string]string {
	return map[string]string{
		"Your tokens": "Ihre Tokens",

		"Programs with one of these tokens act in your name. Revoke tokens that you do not recognize.": "Programme mit einem dieser Tokens handeln in Ihrem Namen. Widerrufen Sie Tokens, die Sie nicht kennen.",

		"Browsers in which you are signed in":                    "Browser, in denen Sie angemeldet sind",
		"Another user issued the tokens that are marked as new.": "Eine andere Person hat die Tokens ausgestellt, die als neu markiert sind.",
		"I know these tokens":                                    "Ich kenne diese Tokens",
		"You have no tokens.":                                    "Sie haben keine Tokens.",

		"An administrator issues tokens to you, for programs that act in your name.": "Die Administration stellt Ihnen Tokens aus, für Programme, die in Ihrem Namen handeln.",

		"issued by you":                       "ausgestellt von Ihnen",
		"new":                                 "neu",
		"for all tenants":                     "für alle Mandanten",
		"for %s":                              "für %s",
		"issued by %s":                        "ausgestellt von %s",
		"issued":                              "ausgestellt",
		"not used yet":                        "noch nicht benutzt",
		"Only an administrator can remove it": "Nur die Administration kann es entfernen",
		"Another user has issued a token that acts in your name.": "Eine andere Person hat ein Token ausgestellt, das in Ihrem Namen handelt.",
		"Token":                            "Token",
		"A token that another user issued": "Ein Token, das eine andere Person ausgestellt hat",
		"All of this token":                "Alles zu diesem Token",
	}
}
