/** What stands in the last form of a page that has this button. */
export function formOf(text: string, action: string): Record<string, string> {
  const from = text.lastIndexOf(`/${action}"`)
  const form = text.slice(from, text.indexOf('</form>', from))
  const inputs = [
    ...form.matchAll(/<input (?:id="\S+" )?(?:type="hidden" )?name="(\w+)"[^>]* value="([^"]*)"/g),
  ]
  const selects = [...form.matchAll(/<select id="(\w+)"[\s\S]*?<\/select>/g)].map(([select, name]) => [
    name!,
    /<option value="([^"]*)" selected>/.exec(select!)?.[1] ?? '',
  ])
  return Object.fromEntries([...inputs.map(([, name, value]) => [name!, value!]), ...selects])
}
