package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPurgeKeepsUsedRules(t *testing.T) {
	t.Parallel()
	words := map[string]bool{"btn": true, "active": true, "card": true, "md-2": true}
	for sheet, want := range map[string]string{
		`.btn{color:red}`:                                     `.btn{color:red}`,
		`.alert{color:red}`:                                   ``,
		`.btn,.alert,a:hover{margin:0 auto}`:                  `.btn,a:hover{margin:0 auto}`,
		`.btn,.alert:not(.x,.y){a:b}`:                         `.btn{a:b}`,
		`:is(.x,.y) .btn,.alert{a:b}`:                         `:is(.x,.y) .btn{a:b}`,
		`.btn.alert{a:b}.btn .card>.x{a:b}`:                   ``,
		`.btn:not(.alert):hover{a:b}`:                         `.btn:not(.alert):hover{a:b}`,
		`@media (min-width:1px){.alert{a:b}}`:                 ``,
		`@media (min-width:1px){.alert{a:b}.card{a:b}}`:       `@media(min-width:1px){.card{a:b}}`,
		`.md-2\:x{a:b}`:                                       ``,
		`[data-x=".alert"]{a:b}`:                              `[data-x=".alert"]{a:b}`,
		`@media print and (min-width:1px){.card{a:b}}`:        `@media print and (min-width:1px){.card{a:b}}`,
		`@keyframes go{0%{top:0}to{top:calc(1px + 2px)}}`:     `@keyframes go{0%{top:0}to{top:calc(1px + 2px)}}`,
		`:root{--a:1px;--b:var(--c);--c:2px}.btn{x:var(--a)}`: `:root{--a:1px}.btn{x:var(--a)}`,
		`.btn{--own: 1px;--no:2px}`:                           `.btn{--own: 1px}`,
		`@font-face{src:url("a.woff")}`:                       `@font-face{src:url("a.woff")}`,
		`@supports (a:b){@media print{.btn{a:b}}}`:            `@supports(a:b){@media print{.btn{a:b}}}`,
	} {
		purged, err := purgeSheet([]byte(sheet), words, []byte(`.x{y:var(--own)}`))
		require.NoError(t, err)
		require.Equal(t, want, string(purged), sheet)
	}
	_, err := purgeSheet([]byte(`.btn{a:b`), words, nil)
	require.NoError(t, err, "browsers close open blocks too")
}
