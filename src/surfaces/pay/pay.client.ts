// What makes the payment page pleasant: copying, live status, the time left, the way back. The page works
// without any of it, and an exception here leaves it working. Addresses come from the page's own location.
// Sentences come from the page: a browser knows too few of our languages.

const byId = (id: string) => document.getElementById(id)
const main = document.querySelector('main')
const screenNow = main?.dataset.screen ?? ''
const path = location.pathname
const lang = document.documentElement.lang
// A language that was chosen by its link stays, also where cookies are refused.
const chosen = /[?&]lang=/.test(location.search) ? `?lang=${lang}` : ''
const isLive = /^(choose|pay|checking|short|expired)$/.test(screenNow)

type Status = { screen: string; text: string; left: number | null }

// ── Copy ────────────────────────────────────────────────────────────────────────────────────────────────────

for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) {
  const name = button.getAttribute('aria-label') ?? ''
  let timer = 0
  button.hidden = false
  button.addEventListener('click', async () => {
    const done = await copied(button)
    button.classList.toggle('done', done)
    say(`${name}. ${done ? button.dataset.done : button.dataset.failed}`)
    clearTimeout(timer)
    timer = window.setTimeout(() => button.classList.remove('done'), 3000)
  })
}

/** In-app browsers often refuse the clipboard: then a field is selected, at the least for the customer's own hand. */
async function copied(button: HTMLElement): Promise<boolean> {
  const { copy: text = '', failed = '' } = button.dataset
  for (const left of document.querySelectorAll('.by-hand')) left.remove()
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('input')
    const note = document.createElement('small')
    field.className = note.className = 'by-hand'
    field.value = text
    field.readOnly = true
    field.setAttribute('aria-label', button.getAttribute('aria-label') ?? '')
    note.textContent = failed
    const row = button.closest('.bill > div')?.querySelector('dd') ?? button.parentElement
    row?.append(field, note)
    field.select()
    field.setSelectionRange(0, text.length)
    let done = false
    try {
      done = document.execCommand('copy')
    } catch {}
    if (done) {
      field.remove()
      note.remove()
      button.focus()
    }
    return done
  }
}

/** For a reader of the screen, beside the one status that is there from the start. */
function say(text: string): void {
  let voice = byId('voice')
  if (!voice) {
    voice = document.createElement('p')
    voice.id = 'voice'
    voice.setAttribute('role', 'status')
    document.body.append(voice)
  }
  voice.textContent = text
}

// ── The time that is left: counted by the monotonic clock, never by the time of day ─────────────────────────────────

let endsAt = 0
let before = 0
let tick = 0
let hasReloaded = false

function count(left: number | null): void {
  clearInterval(tick)
  if (left === null) return
  endsAt = performance.now() + left * 1000
  tick = window.setInterval(show, 1000)
  show()
}

/** `29:05`; with hours, where there are some, `1:29:05`. */
function timeText(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [first, ...rest] = parts[0] ? parts : parts.slice(1)
  return [first, ...rest.map((part) => String(part).padStart(2, '0'))].join(':')
}

function show(): void {
  const left = Math.max(0, Math.round((endsAt - performance.now()) / 1000))
  const timer = byId('timer')
  if (timer) {
    timer.hidden = false
    const digits = byId('timer-left')
    if (digits) digits.textContent = timeText(left)
    // A late tick may step over the very second.
    const passes = (seconds: number) => before > seconds && left <= seconds && left > seconds - 5
    if (passes(300)) say(timer.dataset.five ?? '')
    if (passes(60)) say(timer.dataset.one ?? '')
  }
  before = left
  if (left > 0 || hasReloaded) return
  // The server decides what the end of time means. Asked once: never in a loop.
  hasReloaded = true
  clearInterval(tick)
  setTimeout(() => void ask(), 1500)
}

// ── Status: pushed by the server, polled where that does not work ─────────────────────────────────────────────────

let stream: EventSource | undefined
let failures = 0
let poll = 0

function listen(): void {
  if (stream || failures > 2) return
  stream = new EventSource(`${path}/events?lang=${lang}`)
  stream.onmessage = ({ data }) => {
    failures = 0
    take(JSON.parse(data))
  }
  stream.onerror = () => {
    failures++
    // Without a first message nothing is counted yet.
    if (!endsAt) void ask()
    if (failures < 3 && stream?.readyState !== 2) return
    stream?.close()
    stream = undefined
    if (!poll) poll = window.setInterval(() => void ask(), 5000)
  }
}

async function ask(): Promise<void> {
  try {
    const answer = await fetch(`${path}/status?lang=${lang}`, { headers: { accept: 'application/json' } })
    if (answer.ok) take(await answer.json())
  } catch {}
}

function take({ screen, text, left }: Status): void {
  if (screen !== screenNow) {
    // Another screen is another page. The way back goes by itself only for those who saw it come.
    if (screen === 'success' || screen === 'rejected') remember(path)
    location.replace(path + chosen)
    return
  }
  const place = byId('status-text')
  if (place && place.textContent !== text) place.textContent = text
  hasReloaded = hasReloaded && left === 0
  count(left)
}

// ── The way back ───────────────────────────────────────────────────────────────────────────────────────────────

function remember(value: string | null): string | null {
  try {
    const before = sessionStorage.getItem('inlet-saw')
    if (value === null) sessionStorage.removeItem('inlet-saw')
    else sessionStorage.setItem('inlet-saw', value)
    return before
  } catch {
    return null
  }
}

function returnSoon(): void {
  const link = byId('return') as HTMLAnchorElement | null
  const notice = byId('auto')
  const digits = byId('auto-left')
  if (!link || !notice || !digits || remember(null) !== path) return
  const end = performance.now() + 20_000
  notice.hidden = false
  const timer = setInterval(() => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000))
    digits.textContent = String(left)
    if (left > 0) return
    clearInterval(timer)
    location.assign(link.href)
  }, 250)
  byId('stay')?.addEventListener('click', () => {
    clearInterval(timer)
    notice.hidden = true
    link.focus()
  })
}

// ── Begin ──────────────────────────────────────────────────────────────────────────────────────────────────────

const print = byId('print')
if (print) {
  print.hidden = false
  print.addEventListener('click', () => window.print())
}

// A double click sends a form once; coming back to the page by the browser's own way makes it whole again.
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = 'yes'
    // An answer that never comes must not take the button away for good.
    setTimeout(() => delete form.dataset.sent, 5000)
  })
}
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

returnSoon()
if (isLive) {
  // Its first message says how much time is left.
  listen()
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      // Browsers give a host six connections for all tabs: those that nobody looks at hold none.
      stream?.close()
      stream = undefined
      return
    }
    failures = 0
    void ask()
    if (!poll) listen()
  })
}
