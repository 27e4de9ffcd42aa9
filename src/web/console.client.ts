/** What scripts add to the consoles: passkeys, keys, going places. Without it every page still works. */

const all = <T extends Element>(selector: string): T[] => [...document.querySelectorAll<T>(selector)]
const one = <T extends Element>(selector: string): T | null => document.querySelector<T>(selector)

// ── Passkeys ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function ask(path: string, csrf: string, body: unknown): Promise<unknown> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf': csrf },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(String(answer.status))
  return answer.json()
}

const canUsePasskeys =
  'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential

async function usePasskey(button: HTMLElement): Promise<void> {
  const { passkey, csrf = '', to = '/home', failed = '' } = button.dataset
  const problem = one('#passkey-error')
  if (problem) problem.textContent = ''
  try {
    if (passkey === 'add') {
      const options = await ask('/sign-in/set-up/passkey/ask', csrf, {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON,
      )
      const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
      const name = one<HTMLInputElement>('#passkey-name')?.value ?? ''
      await ask('/sign-in/set-up/passkey', csrf, { ...made.toJSON(), name })
    } else {
      const options = await ask('/sign-in/passkey/ask', '', {})
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON,
      )
      const shown = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
      await ask('/sign-in/passkey', '', shown.toJSON())
    }
    location.assign(to.startsWith('/') && !to.startsWith('//') ? to : '/home')
  } catch {
    if (problem) problem.textContent = failed
  }
}

if (canUsePasskeys) {
  for (const button of all<HTMLElement>('[data-passkey]')) {
    button.hidden = false
    button.addEventListener('click', () => void usePasskey(button))
  }
  for (const panel of all<HTMLElement>('[data-passkey-panel]')) panel.hidden = false
}

// ── Dialogs, keys, places ─────────────────────────────────────────────────────────────────────────────────────────

const openDialog = (id: string) => one<HTMLDialogElement>(`dialog#${id}`)?.showModal()

for (const button of all<HTMLElement>('[data-opens]')) {
  button.hidden = false
  button.addEventListener('click', () => openDialog(button.dataset.opens!))
}

/** The page's own keys, as its buttons and links have them; what cannot be pressed now is left out. */
function listOwnKeys(): void {
  const title = one<HTMLElement>('#own-keys')
  const owners = all<HTMLElement>('[data-key]:not(:disabled)')
  if (!title || owners.length === 0) return
  const made = (name: string, ...inside: (Node | string)[]) => {
    const element = document.createElement(name)
    element.append(...inside)
    return element
  }
  const list = made('dl')
  list.className = 'pairs'
  for (const owner of owners) {
    const says = owner.cloneNode(true) as HTMLElement
    for (const hint of says.querySelectorAll('kbd')) hint.remove()
    const key = made('kbd', owner.dataset.key!.toUpperCase())
    list.append(made('div', made('dt', key), made('dd', says.textContent!.trim())))
  }
  title.hidden = false
  title.after(list)
}
listOwnKeys()

/** Every link of the rail, by what it says. */
function fillPalette(): void {
  const list = one('#palette-list')
  const text = one<HTMLInputElement>('#palette-text')
  if (!list || !text) return
  const wanted = text.value.toLowerCase()
  const found = all<HTMLAnchorElement>('.rail nav a, .rail .who a').filter((link) =>
    link.textContent!.toLowerCase().includes(wanted),
  )
  list.replaceChildren(
    ...found.map((link) => {
      const item = document.createElement('li')
      const copy = document.createElement('a')
      copy.href = link.href
      copy.textContent = link.textContent
      item.append(copy)
      return item
    }),
  )
}
one('#palette-text')?.addEventListener('input', fillPalette)
one('#palette-text')?.addEventListener('keydown', (event) => {
  if ((event as KeyboardEvent).key === 'Enter') one<HTMLAnchorElement>('#palette-list a')?.click()
})

/** The row that J and K have reached. */
let row = -1
function moveRow(by: number): void {
  const rows = all<HTMLElement>('table.list tbody tr:has(a[href])')
  if (rows.length === 0) return
  row = Math.min(Math.max(row + by, 0), rows.length - 1)
  for (const [place, other] of rows.entries()) other.setAttribute('aria-selected', String(place === row))
  rows[row]!.querySelector<HTMLElement>('a[href]')!.focus()
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault()
    fillPalette()
    openDialog('palette')
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (one('dialog[open]')) return
  const acts: Record<string, () => unknown> = {
    '?': () => openDialog('keys'),
    '/': () => one<HTMLElement>('input[type=search]')?.focus(),
    j: () => moveRow(1),
    k: () => moveRow(-1),
  }
  // A page may give keys of its own to its buttons and links.
  const own = one<HTMLElement>(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`)
  const act = acts[event.key] ?? acts[event.key.toLowerCase()] ?? (own && (() => own.click()))
  if (!act) return
  event.preventDefault()
  act()
})

// ── Copying ───────────────────────────────────────────────────────────────────────────────────────────────────────

for (const button of all<HTMLElement>('[data-copy]')) {
  if (!navigator.clipboard) break
  button.hidden = false
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.dataset.copy!).then(() => {
      button.textContent = button.dataset.copied ?? button.textContent
    })
  })
}

// ── What is under way ─────────────────────────────────────────────────────────────────────────────────────────────

/** Asked for again until it is over; without scripts there is a link. */
if (one('[data-under-way]')) setTimeout(() => location.reload(), 2_000)
