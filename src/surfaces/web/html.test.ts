import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedAddress, flag, html, type Markup, render, type Value } from './html.ts'
import { raw } from './raw.ts'

// Templates that must be refused are built here at run time: written out, each would be a tag of its own.
function template(...parts: string[]): TemplateStringsArray {
  return Object.freeze(Object.assign([...parts], { raw: Object.freeze([...parts]) })) as TemplateStringsArray
}
const print = (markup: Markup) => render(markup)
const hostile = (value: unknown) => value as Value

/** What people try. Every one goes into every kind of place. */
const attacks = [
  '<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' onmouseover='alert(1)",
  '` onmouseover=`alert(1)',
  ' onfocus=alert(1) autofocus ',
  '</title><script>alert(1)</script>',
  '</textarea><svg onload=alert(1)>',
  '--><script>alert(1)</script><!--',
  ']]><script>alert(1)</script>',
  '<!--',
  '<![CDATA[',
  '<?xml version="1.0"?>',
  '&lt;script&gt;',
  '&#60;script&#62;',
  '&#x3c;img src=x onerror=alert(1)&#x3e;',
  '&quot; onload=alert(1) x=&quot;',
  '&',
  '&amp',
  '<',
  '<a',
  '</',
  '<svg/onload=alert(1)>',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '\0<script\0>alert(1)</script\0>',
  '<scr\u0000ipt>',
  '\u2028\u2029<b>',
  '\ud800<b>\udfff',
  '\ufeff<b>',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  '＜script＞',
  '\u202eevil\u202c',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\tjavascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'javascript%3Aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://x/1',
  'view-source:https://x/',
  'intent://x#Intent;scheme=javascript;end',
  'http://evil.example/',
  'https:evil.example',
  'https:///evil.example',
  'https://user@evil.example/',
  'https://shop.example@evil.example/',
  '//evil.example/',
  '///evil.example/',
  '\\\\evil.example\\',
  '/\\evil.example/',
  '/\t/evil.example/',
  '\\/evil.example/',
  '..',
  '../../console',
  '%2e%2e',
  '%2e%2e%2f',
  '.',
  '',
  'a/../../b',
  'a?b#c',
  'a;b=c',
  'url(https://evil.example/#x)',
  '\\75rl(https://evil.example)',
  'red;background:url(//evil.example)',
  'expression(alert(1))',
]

const nasty = fc.oneof(
  fc.constantFrom(...attacks),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        ...'<>"\'&/\\:;=#?.@%` \t\n\r\0\x1b\x7f\u0085\u00a0\ud800\udc00\uffff'.split(''),
        ...[
          'javascript',
          'https',
          'http',
          'data',
          'mailto',
          'tel',
          'script',
          'on',
          'amp',
          '//',
          '-->',
          'evil.example',
        ],
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join('')),
)

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const mended = (text: string) => text.toWellFormed().replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '\ufffd')

/** The text between two fixed ends. */
function between(text: string, start: string, end: string): string {
  assert.ok(text.startsWith(start) && text.endsWith(end), 'the static text stays as it was written')
  return text.slice(start.length, text.length - end.length)
}

const escapedExactly = (printed: string, value: string) => {
  assert.doesNotMatch(printed, /[<>"']/)
  assert.doesNotMatch(printed, /&(?!(?:lt|gt|quot|amp|#39);)/)
  assert.equal(decoded(printed), mended(value))
}

test('a text hole escapes the five characters and nothing escapes it', () => {
  assert.equal(
    print(html`<p>${`<a href="x" title='y'>&`}</p>`),
    '<p>&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;</p>',
  )
  fc.assert(
    fc.property(nasty, (value) =>
      escapedExactly(between(print(html`<p>${value}</p>`), '<p>', '</p>'), value),
    ),
    { numRuns: 2000 },
  )
})

test('an attribute hole escapes alike', () => {
  fc.assert(
    fc.property(nasty, (value) => {
      escapedExactly(between(print(html`<p title="a ${value} b">x</p>`), '<p title="a ', ' b">x</p>'), value)
    }),
    { numRuns: 2000 },
  )
})

test('title and textarea take text and keep it inside', () => {
  for (const value of attacks) {
    escapedExactly(between(print(html`<title>${value}</title>`), '<title>', '</title>'), value)
    escapedExactly(
      between(print(html`<textarea name="a">${value}</textarea>`), '<textarea name="a">', '</textarea>'),
      value,
    )
  }
})

test('an address that begins with a hole is https, our own path, mailto or tel', () => {
  const base = 'https://inlet.example/pay/here?x'
  fc.assert(
    fc.property(nasty, (value) => {
      let printed: string
      try {
        printed = print(html`<a href="${value}">x</a>`)
      } catch {
        return
      }
      const link = decoded(between(printed, '<a href="', '">x</a>'))
      const url = new URL(link, base)
      assert.match(url.protocol, /^(https|mailto|tel):$/)
      if (!/^https:/i.test(link) && url.protocol === 'https:')
        assert.equal(url.origin, 'https://inlet.example')
      assert.equal(url.username + url.password, '')
    }),
    { numRuns: 5000 },
  )
})

const taken = [
  'https://shop.example/ok?a=1&b=2',
  'HTTPS://shop.example',
  '/',
  '/docs',
  '/docs#x',
  '?lang=ru',
  '#top',
  'mailto:a@b.example',
  'tel:+998901234567',
  '/a b',
  '/https://x',
]
const notTaken = attacks.filter((attack) => !/^(\/(?![/\\\t])|[?#])/.test(attack))

test('addresses that are taken, and the corpus, which is not', () => {
  for (const address of taken) assert.doesNotThrow(() => html`<a href="${address}">x</a>`, address)
  for (const address of [
    ...notTaken,
    'docs',
    'https://',
    'https://[',
    '/a\u0085',
    '/a\\b',
    'https://a\tb.example',
  ]) {
    for (const make of [
      () => html`<a href="${address}">x</a>`,
      () => html`<form action="${address}"></form>`,
      () => html`<button formaction="${address}">x</button>`,
      () => html`<img src="${address}" alt="">`,
      () => html`<svg><use href="${address}"/></svg>`,
      () => html`<svg><a xlink:href="${address}">x</a></svg>`,
      () => html`<blockquote cite="${address}">x</blockquote>`,
    ])
      assert.throws(make, /html: an address must/, address)
  }
})

test('an http address is taken only under the rule by which the API accepted it', () => {
  const address = 'http://localhost:3000/ok'
  assert.throws(() => html`<a href="${address}">x</a>`)
  const accepted = acceptedAddress(address, { mode: 'test', isTrustedHost: () => false })
  assert.equal(print(html`<a href="${accepted}">x</a>`), `<a href="${address}">x</a>`)
  assert.throws(() => acceptedAddress(address, { mode: 'live', isTrustedHost: () => false }))
  assert.throws(() => acceptedAddress('javascript:alert(1)', { mode: 'test', isTrustedHost: () => true }))
  assert.throws(() => html`<p>${accepted}</p>`)
  assert.throws(() => html`<p title="${accepted}">x</p>`)
})

test('a hole after a static prefix is one segment and stays on our origin', () => {
  const base = 'https://inlet.example/'
  fc.assert(
    fc.property(nasty, nasty, (one, two) => {
      let printed: string
      try {
        printed = print(html`<a href="/${one}/${two}">x</a>`)
      } catch {
        return
      }
      const link = decoded(between(printed, '<a href="', '">x</a>'))
      const url = new URL(link, base)
      assert.equal(url.origin, 'https://inlet.example')
      assert.equal(url.pathname.split('/').length, 3)
      assert.equal(url.search + url.hash, '')
      assert.deepEqual(url.pathname.slice(1).split('/').map(decodeURIComponent), [mended(one), mended(two)])
    }),
    { numRuns: 3000 },
  )
  assert.equal(
    print(html`<a href="/docs?q=${'a&b/../c'}#${'"x"'}">x</a>`),
    '<a href="/docs?q=a%26b%2F..%2Fc#%22x%22">x</a>',
  )
  assert.equal(
    print(html`<a href="https://a.example/${1}/${2n}">x</a>`),
    '<a href="https://a.example/1/2">x</a>',
  )
  for (const value of ['.', '..', '', null, undefined, false as const])
    assert.throws(() => html`<a href="/pay/${value}">x</a>`)
  for (const value of ['.', '..', '', null]) assert.doesNotThrow(() => html`<a href="/pay?x=${value}">x</a>`)
  for (const value of [raw('x'), ['x'], true, {}, Number.NaN])
    assert.throws(() => html`<a href="/pay/${hostile(value)}">x</a>`)
})

test('a base and a path cannot join into another host', () => {
  assert.equal(
    print(html`<a href="${'https://a.example'}/x/${'y'}">x</a>`),
    '<a href="https://a.example/x/y">x</a>',
  )
  assert.throws(() => html`<a href="${'/'}/x">x</a>`)
  assert.throws(() => html`<a href="${'/'}/${'evil.example'}">x</a>`)
  assert.throws(() => html`<a href="${'/'}\\x">x</a>`)
  assert.throws(() => html`<a href="${''}/x">x</a>`)
})

const refusedParts: [why: string, parts: string[]][] = [
  ['a tag name', ['<', '>']],
  ['a tag name', ['<h', '>x</h1>']],
  ['an end tag', ['<b>x</', '>']],
  ['an end tag', ['<b>x</b', '>']],
  ['an end tag', ['<b>x</b ', '>']],
  ['an attribute name', ['<p ', '="x">y</p>']],
  ['an attribute name', ['<p data-', '="x">y</p>']],
  ['an attribute name', ['<p a', ' b="c">y</p>']],
  ['beside an attribute', ['<p a="b"', '>y</p>']],
  ['beside another hole', ['<p ', '', '>y</p>']],
  ['an unquoted value', ['<p title=', '>y</p>']],
  ['an unquoted value', ['<p title=a', '>y</p>']],
  ['single quotes', ["<p title='", "'>y</p>"]],
  ['on*', ['<p onclick="', '">y</p>']],
  ['on*', ['<p OnClick="', '">y</p>']],
  ['style attribute', ['<p style="', '">y</p>']],
  ['srcdoc', ['<p srcdoc="', '">y</p>']],
  ['srcset', ['<img srcset="', '">']],
  ['imagesrcset', ['<link imagesrcset="', '">']],
  ['ping', ['<a ping="', '">y</a>']],
  ['refresh', ['<meta http-equiv="refresh" content="', '">']],
  ['refresh', ['<meta content="', '" http-equiv="refresh">']],
  ['refresh', ['<meta http-equiv="', '" content="x">']],
  ['meta name', ['<meta name="', '" content="x">']],
  ['script content', ['<script src="/a.js">', '</script>']],
  ['script content', ['<script>', '</script>']],
  ['script address', ['<script src="', '"></script>']],
  ['script address', ['<script src="https://cdn.example/', '"></script>']],
  ['script type', ['<script src="/a.js" type="', '"></script>']],
  ['link address', ['<link rel="stylesheet" href="', '">']],
  ['link rel', ['<link rel="', '" href="/a.css">']],
  ['style element', ['<style>', '</style>']],
  ['a comment', ['<!-- ', ' -->']],
  ['a comment', ['<!--', '-->']],
  ['doctype', ['<!doctype ', '>']],
  ['xmlns', ['<svg xmlns="', '"></svg>']],
  ['xml:base', ['<svg xml:base="', '"></svg>']],
  ['inside the scheme', ['<a href="java', ':x">y</a>']],
  ['inside the scheme', ['<a href="https:', '">y</a>']],
  ['inside the host', ['<a href="https://', '">y</a>']],
  ['inside the host', ['<a href="https://pay.', '/x">y</a>']],
  ['inside the host', ['<a href="//', '/x">y</a>']],
  ['userinfo', ['<a href="https://a@', '/x">y</a>']],
  ['after a base', ['<a href="', '', '">y</a>']],
  ['after a base', ['<a href="', '.', '">y</a>']],
  ['an open reference', ['<p>&', ';</p>']],
  ['an open reference', ['<p>&#', ';</p>']],
  ['an open reference', ['<p title="&#x', ';">y</p>']],
  ['an open reference', ['<a href="&#', ';avascript:x">y</a>']],
  ['a reference in an address', ['<a href="&#106;avascript:', '">y</a>']],
  ['a reference in an address', ['<a href="/&Tab;/evil.example/', '">y</a>']],
]

test('a hole is refused wherever it has no rule', () => {
  for (const [why, parts] of refusedParts) {
    const holes = Array.from({ length: parts.length - 1 }, () => 'x')
    assert.throws(() => html(template(...parts), ...holes), /^Error: html: /, `${why}: ${parts.join('{…}')}`)
  }
})

const refusedStatic = [
  '<script>alert(1)</script>',
  '<script src="/a.js"> </script>',
  '<script src="/a.js"/>',
  '<script></script>',
  '<script src="/a.js">',
  '</script>',
  '<svg><script href="/a.js"></script></svg>',
  '<p onclick="x">y</p>',
  '<p ONCLICK="x">y</p>',
  '<p onwhatever>y</p>',
  '<p style="color:red">y</p>',
  '<style>p{}</style>',
  '<base href="/">',
  '<iframe src="/"></iframe>',
  '<IFRAME srcdoc="x"></IFRAME>',
  '<object data="/"></object>',
  '<embed src="/">',
  '<xmp>x</xmp>',
  '<plaintext>',
  '<noscript>x</noscript>',
  '<svg><foreignObject></foreignObject></svg>',
  '<svg><a><animate attributeName="href" to="javascript:alert(1)"/></a></svg>',
  '<svg><set attributeName="href" to="x"/></svg>',
  '<a href="javascript:alert(1)">y</a>',
  '<a href="&#106;avascript:alert(1)">y</a>',
  '<a href="data:text/html,x">y</a>',
  '<a href="//evil.example">y</a>',
  '<a href="">y</a>',
  '<meta http-equiv="refresh" content="0;url=/">',
  '<p title=x>y</p>',
  "<p title='x'>y</p>",
  '<p title="x"class="y">z</p>',
  '<p title="x" title="y">z</p>',
  '<p title="a<b">z</p>',
  '<p\u00a0title="x">z</p>',
  '<p',
  '<p title="x',
  '<p title="x"',
  '<p ',
  '<title>x',
  '<title>x</p>',
  '<title/>',
  '<textarea>',
  '<title><b>x</b></title>',
  '<!-- x',
  '<!--> x -->',
  '<!---> x -->',
  '<!-- x -- y -->',
  '<!-- x --!>',
  '<![CDATA[x]]>',
  '<?xml version="1.0"?>',
  '<!DOCTYPE html SYSTEM "x">',
  'x <!doctype html>',
  'a < b',
  'a <> b',
  '</>',
  '</ p>',
  '</p x="y">',
  '<1>',
  '<p "x">',
  '<p =x>',
  '<p / title="x">y</p>',
  '<a:b>x</a:b>',
]

test('forbidden markup is refused even without a hole', () => {
  for (const part of refusedStatic) assert.throws(() => html(template(part)), /^Error: html: /, part)
})

test('allowed markup is printed unchanged', () => {
  for (const part of [
    '<!doctype html><html lang="ru"><head><meta charset="utf-8"><title>x &amp; y</title></head></html>',
    '<!-- why --><p class="a" hidden>x > y &nbsp; "z"</p>',
    '<input type="text" name="a" required>',
    '<br/>',
    '<svg viewBox="0 0 1 1"><title>x</title><path d="M0 0h1"/><use href="#a"/></svg>',
    '<script src="/a.js" type="module" defer></script>',
    '<link rel="stylesheet" href="/a.css">',
    '<a href="/a?b=c&amp;d=e"\n  class="x"\n>y</a >',
    '</div><div>',
    '',
  ])
    assert.equal(print(html(template(part))), part)
  assert.equal(
    print(html`<script src="/assets/${'app.1a2b.js'}"></script>`),
    '<script src="/assets/app.1a2b.js"></script>',
  )
  assert.equal(
    print(html`<meta name="description" content="${'a "b"'}">`),
    '<meta name="description" content="a &quot;b&quot;">',
  )
})

test('values: what prints, what prints nothing, what is a mistake', () => {
  assert.equal(
    print(html`${'a'}${1}${-0}${1.5}${9007199254740993n}${html`<b>c</b>`}`),
    'a101.59007199254740993<b>c</b>',
  )
  assert.equal(print(html`${false}${null}${undefined}${''}${[]}`), '')
  assert.equal(
    print(html`<ul>${['a', 1, html`<li>${'<'}</li>`, null, ['b', false]]}</ul>`),
    '<ul>a1<li>&lt;</li>b</ul>',
  )
  const mistakes: unknown[] = [
    true,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(0),
    Promise.resolve('x'),
    () => 'x',
    {},
    { toString: () => '<b>' },
    Symbol('x'),
    new String('x'),
    new Map(),
    Buffer.from('x'),
    [true],
    [[{}]],
    flag('checked', true),
  ]
  for (const mistake of mistakes) {
    assert.throws(() => html`<p>${hostile(mistake)}</p>`, /cannot be printed/)
    assert.throws(() => html`<p title="${hostile(mistake)}">x</p>`, /cannot be printed/)
    assert.throws(() => html`<title>${hostile(mistake)}</title>`, /cannot be printed/)
    assert.throws(() => html`<a href="${hostile(mistake)}">x</a>`, /must be a string/)
    if (mistake !== mistakes.at(-1)) assert.throws(() => html`<p ${hostile(mistake)}>x</p>`, /only flag/)
  }
})

test('markup is known by its private class, never by its shape', () => {
  const real = html`<b>x</b>`
  const fakes: unknown[] = [
    JSON.parse(JSON.stringify(real)),
    JSON.parse('{"#text":"<script>","text":"<script>","__proto__":{}}'),
    Object.create(Object.getPrototypeOf(real)),
    Object.setPrototypeOf({ text: '<script>' }, Object.getPrototypeOf(real)),
    structuredClone({ ...real }),
    new Proxy(real, {}),
  ]
  for (const fake of fakes) assert.throws(() => html`<p>${hostile(fake)}</p>`, /cannot be printed/)
  assert.throws(() => String(real), /render/)
  assert.throws(() => html(['<b>x</b>'] as unknown as TemplateStringsArray), /template tag/)
  assert.throws(
    () => html(Object.assign(['<b>'], { raw: ['<b>'] }) as unknown as TemplateStringsArray),
    /template tag/,
  )
})

test('markup stands in text only', () => {
  const markup = html`<b>x</b>`
  assert.throws(() => html`<p title="${markup}">x</p>`, /only text/)
  assert.throws(() => html`<title>${markup}</title>`, /only text/)
  assert.throws(() => html`<textarea>${[markup]}</textarea>`, /only text/)
})

test('a boolean attribute is one of a fixed list and comes only through flag()', () => {
  assert.equal(print(html`<input name="a" ${flag('checked', true)}>`), '<input name="a" checked>')
  assert.equal(
    print(html`<input ${flag('checked', false)} ${flag('disabled', true)} name="a">`),
    '<input  disabled name="a">',
  )
  for (const value of ['checked', '', null, undefined, false as const, raw('checked'), 1]) {
    assert.throws(() => html`<input ${value}>`, /only flag/)
  }
  assert.throws(() => flag('onclick' as 'checked', true))
  assert.throws(() => flag('checked', 'true' as unknown as boolean))
})

test('a paint attribute takes a colour, never a reference', () => {
  assert.equal(print(html`<svg><rect fill="${'#0A5C55'}"/></svg>`), '<svg><rect fill="#0A5C55"/></svg>')
  for (const value of ['url(https://evil.example/#x)', '\\75rl(x)', 'red;x:y', 'u\u0000rl(']) {
    assert.throws(() => html`<svg><rect fill="${value}"/></svg>`, /colour/)
  }
})

test('controls and lone surrogates become U+FFFD, line breaks stay', () => {
  assert.equal(
    print(html`${'a\0b\x01\x0b\x0c\x1f\x7f\x80\x9f\ud800c\ufffe\uffff'}`),
    'a\ufffdb\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdc\ufffd\ufffd',
  )
  assert.equal(print(html`${'a\tb\nc\r\nd 😀'}`), 'a\tb\nc\r\nd 😀')
})

test('an error names the template and the place, never the value', () => {
  const secret = 'javascript:s3cret'
  const error = (() => {
    try {
      html`<p class="first">${1}</p><a href="${secret}">x</a>`
    } catch (caught) {
      return caught as Error
    }
  })()!
  assert.match(error.message, /hole 2 of `<p class="first">{…}<\/p><a href="{…}">x<\/a>`/)
  assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}${error.cause}`, /s3cret/)
  assert.throws(() => html(template('<p>', '</p><p onclick="x">')), /part 2, character 15 of `<p>/)
  fc.assert(
    fc.property(fc.string({ minLength: 12, unit: 'grapheme' }), (value) => {
      try {
        html`<a href="${`javascript:${value}`}">x</a>`
      } catch (caught) {
        assert.ok(!(caught as Error).message.includes(value))
        return
      }
      assert.fail('it was printed')
    }),
  )
})

test('the static parts are read once per template', () => {
  let frozen = 0
  const original = Object.isFrozen
  Object.isFrozen = (value) => {
    frozen++
    return original(value)
  }
  try {
    const make = (value: string) => html`<p title="${value}">once</p>`
    for (let count = 0; count < 100; count++) make('x')
  } finally {
    Object.isFrozen = original
  }
  assert.equal(frozen, 2)
})
