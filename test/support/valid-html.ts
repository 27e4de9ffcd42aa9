/** Whether pages are valid HTML. */
import { HtmlValidate } from 'html-validate'

const checker = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // Blanks at line ends come from holes that print nothing; the other rules are the checker's own.
    'no-trailing-whitespace': 'off',
    'doctype-style': ['error', { style: 'lowercase' }],
  },
})

const seen = new Set<string>()

/**
 * What is wrong with a page. To check one takes longer than to make it, and most of what a page consists of (the frame, a
 * hundred rows) differs from another one in words and numbers only: a page whose tags were checked in this process is not
 * checked again.
 */
export async function faultsOfHtml(page: string): Promise<string[]> {
  const tags = tagsOf(page)
  if (seen.has(tags)) return []
  const { results } = await checker.validateString(page)
  const faults = results.flatMap(({ messages }) =>
    messages.map(({ line, selector, ruleId, message }) => `:${line} ${selector} ${ruleId}: ${message}`),
  )
  if (faults.length === 0) seen.add(tags)
  return faults
}

/** Texts and values are made equal: rules look at whether there are any, and at signs that were not escaped. */
const tagsOf = (page: string): string =>
  page
    .replace(/>([^<>]*[^<>\s][^<>]*)</g, (_, text: string) => `>${equal(text)}<`)
    .replace(
      /(value|href|title|datetime|aria-label|content)="([^"]+)"/g,
      (_, name, text: string) => `${name}="${equal(text)}"`,
    )

const equal = (text: string): string => (/&(?!#?\w+;)/.test(text) ? text : 'x')
