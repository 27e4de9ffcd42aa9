/**
 * What scripts add to the consoles: passkeys, a few keyboard shortcuts, live pages. Every page works without them.
 */

const all = <T extends Element>(selector: string): T[] => [...document.querySelectorAll<T>(selector)]
const find = <T extends Element>(selector: string): T | null => document.querySelector<T>(selector)

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
  const problem = find('#passkey-error')
  if (problem) problem.textContent = ''
  try {
    if (passkey === 'add') {
      const options = await ask('/sign-in/set-up/passkey/ask', csrf, {})
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
        options as PublicKeyCredentialCreationOptionsJSON,
      )
      const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
      const name = find<HTMLInputElement>('#passkey-name')?.value ?? ''
      const added = await ask('/sign-in/set-up/passkey', csrf, { ...made.toJSON(), name })
      const { codes } = added as { codes?: { csrf: string } }
      if (codes) return askForCodes(codes.csrf)
    } else {
      const options = await ask('/sign-in/passkey/ask', '', {})
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON,
      )
      const shown = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
      await ask('/sign-in/passkey', '', shown.toJSON())
    }
    location.assign(new URL(to, location.href).origin === location.origin ? to : '/home')
  } catch {
    if (problem) problem.textContent = failed
  }
}

/** The page with the recovery codes is the answer to this form and is shown once. */
function askForCodes(csrf: string): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/account/codes'
  const token = document.createElement('input')
  Object.assign(token, { type: 'hidden', name: 'csrf', value: csrf })
  form.append(token)
  document.body.append(form)
  form.submit()
}

if (canUsePasskeys) {
  for (const button of all<HTMLElement>('[data-passkey]')) {
    button.hidden = false
    button.addEventListener('click', () => void usePasskey(button))
  }
  for (const panel of all<HTMLElement>('[data-passkey-panel]')) panel.hidden = false
}

// ── Dialogs, keys, places ─────────────────────────────────────────────────────────────────────────────────────────

const openDialog = (id: string): void => find<HTMLDialogElement>(`dialog#${id}`)?.showModal()

addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-opens], [data-copy]') : null
  if (button?.dataset.opens) openDialog(button.dataset.opens)
  if (button?.dataset.copy) void copy(button)
})

// A menu closes when something else is pressed.
addEventListener('click', ({ target }) => {
  for (const menu of all<HTMLDetailsElement>('.pop[open]'))
    if (!menu.contains(target as Node)) menu.open = false
})

const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Nobody types in checkboxes and radio buttons, so shortcuts work there. */
const isTyping = (target: EventTarget | null) =>
  isField(target) && !target.matches('[type=checkbox], [type=radio]')

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (find('dialog[open]')) return
  const acts: Record<string, () => unknown> = {
    '?': () => openDialog('keys'),
    '/': () => find<HTMLElement>('input[type=search]')?.focus(),
    n: () => find<HTMLElement>('[data-key="n"]')?.click(),
  }
  const act = acts[event.key.toLowerCase()]
  if (!act) return
  event.preventDefault()
  act()
})

async function copy(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.dataset.copy!)
  button.textContent = button.dataset.copied ?? button.textContent
}

/** Shows file inputs in the language of the page, because browsers show them in their own. */
function localizeFileInputs(): void {
  for (const input of all<HTMLInputElement>('input[data-choose]')) {
    const { choose = '', none = '' } = input.dataset
    const face = Object.assign(document.createElement('div'), { className: 'file-face', ariaHidden: 'true' })
    const button = Object.assign(document.createElement('span'), { className: 'button', textContent: choose })
    const name = Object.assign(document.createElement('span'), { textContent: none })
    face.append(button, name)
    input.classList.add('own-face')
    input.after(face)
    input.addEventListener('change', () => {
      name.textContent = input.files?.[0]?.name ?? none
    })
  }
}

/** Buttons that need a script are hidden until it runs. */
function showButtons(): void {
  for (const button of all<HTMLElement>('[data-opens]')) button.hidden = false
  if (!navigator.clipboard) return
  for (const button of all<HTMLElement>('[data-copy]')) button.hidden = false
}
showButtons()
localizeFileInputs()

// ── What is under way ─────────────────────────────────────────────────────────────────────────────────────────────

/** Reloads the page until the work is done; without scripts there is a link. */
if (find('[data-under-way]')) setTimeout(() => location.reload(), 2_000)

// ── Pages that stay up to date ────────────────────────────────────────────────────────────────────────────────────

type Policy = { createHTML(text: string): string }
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string }): Policy }
}
const policy = trustedTypes?.createPolicy('inlet', { createHTML: (text) => text })

/** The only place where text becomes markup: a page of ours, fetched from the open address. Its scripts never run. */
const parse = (text: string): Document =>
  new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html')

/**
 * Identifies a node among its siblings by its id, by where its row leads, or by its kind and position, so that an
 * inserted or removed node does not make others change places.
 */
function keysOf(parent: Node): Map<string, ChildNode> {
  const keyed = new Map<string, ChildNode>()
  const counts = new Map<string, number>()
  for (const node of parent.childNodes) {
    const kind = kindOf(node)
    const count = counts.get(kind) ?? 0
    counts.set(kind, count + 1)
    keyed.set(`${kind} ${count}`, node)
  }
  return keyed
}

function kindOf(node: ChildNode): string {
  if (!(node instanceof Element)) return node.nodeName
  const leads = node.matches('tr, li') && node.querySelector('a[href]')?.getAttribute('href')
  return `${node.nodeName} ${node.id || leads || node.getAttribute('class') || ''}`
}

/** Attributes that a script or a person changes; an update keeps them. */
const ownAttributes = ['hidden', 'open', 'aria-pressed']

/**
 * Makes one element equal to another with as few changes as possible, so that focus, selection and open details stay. A
 * form is replaced whole or not at all, because nobody must send a mixture of two.
 */
function become(old: Element, next: Element): void {
  if (old.isEqualNode(next) || old.matches('dialog')) return
  if (old.matches('form[method="post"]')) {
    old.replaceWith(document.importNode(next, true))
    return
  }
  for (const name of new Set([...old.getAttributeNames(), ...next.getAttributeNames()])) {
    const value = next.getAttribute(name)
    if (ownAttributes.includes(name) || old.getAttribute(name) === value) continue
    if (value === null) old.removeAttribute(name)
    else old.setAttribute(name, value)
  }
  const [known, wanted] = [keysOf(old), keysOf(next)]
  for (const [key, node] of known) if (!wanted.has(key)) node.remove()
  let place = old.firstChild
  for (const [key, node] of wanted) {
    const found = known.get(key)
    if (!found) {
      const added = document.importNode(node, true)
      if (added instanceof HTMLTableRowElement) added.classList.add('fresh')
      old.insertBefore(added, place)
      continue
    }
    if (found === place) place = found.nextSibling
    else old.insertBefore(found, place)
    if (found instanceof Element) become(found, node as Element)
    else if (found.nodeValue !== node.nodeValue) found.nodeValue = node.nodeValue
  }
}

const live = find<HTMLButtonElement>('[data-live]')
let stream: EventSource | undefined
let latest = ''
/** The mark of the page that is shown, or is about to be: at first that of the loaded page, from its header. */
let mark = performance
  .getEntriesByType('navigation')
  .flatMap((entry) => (entry as PerformanceNavigationTiming).serverTiming ?? [])
  .find(({ name }) => name === 'page')?.description
let isPaused = false
let pressedAt = Number.NEGATIVE_INFINITY
let again = 0

/** A form holds input that was not sent yet. */
const isTouched = () =>
  all<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(
    'main form[method="post"] :is(input, textarea, select)',
  ).some((field) => {
    if (!(field instanceof HTMLSelectElement))
      return (
        field.value !== field.defaultValue ||
        ('checked' in field && field.checked !== (field as HTMLInputElement).defaultChecked)
      )
    const first = [...field.options].findIndex((option) => option.defaultSelected)
    return field.selectedIndex !== Math.max(first, 0)
  })

/** Nobody is disturbed while typing, pressing a button or using a dialog; the update is shown afterwards. */
function isBusy(): boolean {
  const focus = document.activeElement
  const isAtForm = focus?.closest('main form[method="post"]') || (isField(focus) && focus.closest('main'))
  // A press that never ends, because the pointer left the window, is ignored after two seconds.
  const isPressing = performance.now() - pressedAt < 2_000
  return isPressing || !!isAtForm || find('dialog[open]') !== null || isTouched()
}

function take(): void {
  if (latest === '' || isBusy()) return
  const page = parse(latest)
  latest = ''
  const parts = all<HTMLElement>('.rail nav, main')
  const next = [...page.querySelectorAll('.rail nav, main')]
  const focus = document.activeElement
  if (parts.length === next.length) for (const [place, part] of parts.entries()) become(part, next[place]!)
  // A moved row leaves the document for a moment and loses focus.
  if (focus instanceof HTMLElement && focus !== document.activeElement && focus.isConnected)
    focus.focus({ preventScroll: true })
  showButtons()
}

function listen(): void {
  if (!live || stream || document.hidden || isPaused) return
  clearTimeout(again)
  stream = new EventSource(location.href)
  stream.onopen = () => {
    live.ariaPressed = 'true'
  }
  stream.onmessage = ({ data }) => {
    const next = JSON.parse(data) as { page: string; mark: string }
    if (next.mark === mark) return
    mark = next.mark
    latest = next.page
    take()
  }
  // The browser reconnects by itself, unless it was refused. Then the page says that it is out of date.
  stream.onerror = () => {
    if (stream?.readyState !== EventSource.CLOSED) return
    leave()
    live.ariaPressed = 'false'
    again = window.setTimeout(listen, 30_000)
  }
}

/** Browsers allow six connections per host for all tabs, so hidden tabs close theirs. */
function leave(): void {
  clearTimeout(again)
  stream?.close()
  stream = undefined
}

if (live && 'EventSource' in globalThis) {
  live.hidden = false
  live.addEventListener('click', () => {
    isPaused = live.ariaPressed === 'true'
    live.ariaPressed = String(!isPaused)
    // An update that arrived before the pause is outdated after it.
    latest = ''
    mark = ''
    leave()
    listen()
  })
  addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()))
  addEventListener('pointerdown', () => {
    pressedAt = performance.now()
  })
  // A press has ended after its click was handled.
  for (const end of ['pointerup', 'pointercancel'])
    addEventListener(end, () =>
      setTimeout(() => {
        pressedAt = Number.NEGATIVE_INFINITY
        take()
      }),
    )
  addEventListener('focusout', () => setTimeout(take))
  addEventListener('close', () => setTimeout(take), true)
  listen()
}
