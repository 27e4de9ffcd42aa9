/** The form of a word that goes with a number, by the rules of its language. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

export function pluralOf(locale: string, forms: Forms): (count: number) => string {
  const rules = new Intl.PluralRules(locale)
  return (count) => forms[rules.select(count)] ?? forms.other
}
