/** The few hard rules of the house. Each one is a line someone would otherwise have to say in every review. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { test } from 'node:test'
import { refusals } from '../src/platform/refusals.ts'
import { apiPath } from '../src/surfaces/api/paths.ts'
import { staffPath } from '../src/surfaces/staff/paths.ts'

const root = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const files = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort()

const source = files('src/**/*.ts', 'sdk/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const tests = files('src/**/*.test.ts', 'sdk/**/*.test.ts', 'test/**/*.ts')

/** What a file imports: paths of ours as they stand in the tree, packages by name. Types count too. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:^|\n)(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g)].map(
    ([, from, lazy]) => {
      const name = (from ?? lazy)!
      return name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name
    },
  )

/**
 * The floors, from below, and the order on each: a file imports only from floors below its own, and on its own floor only
 * from folders that stand earlier here. ARCHITECTURE.md says why each stands where it does.
 */
const floors = {
  platform: [],
  domain: [
    ...[
      'money.ts',
      'messages',
      'audit',
      'merchants',
      'callbacks',
      'requisites',
      'catalogue',
      'rules',
      'deposits',
      'transfers',
    ],
    ...[
      'statements',
      'refunds',
      'people',
      'keys',
      'approvals',
      'backups',
      'alarms',
      'reports',
      'doctor',
      'sandbox',
    ],
  ],
  /** What people work with, declared once. */
  sections: [],
  surfaces: [
    ...[
      'web',
      'api',
      'pay',
      'staff',
      'office',
      'console',
      'desk',
      'shop',
      'entrance',
      'metrics',
      'command-line',
    ],
  ],
  /** What starts and wires the rest. */
  program: [
    ...['open-foundation.ts', 'keep-backups.ts', 'gateway.ts', 'supervise.ts', 'start.ts', 'program.ts'],
  ],
} as const
const floorNames = Object.keys(floors) as (keyof typeof floors)[]

/** Where a file stands: the number of its floor, and of its folder there. Settings stand on the ground. */
function placeOf(file: string): { floor: number; folder: number; name: string } {
  const [, first, second] = file.split('/') as [string, string, string?]
  const isOnFloor = second !== undefined
  const floor = file === 'src/config.ts' ? 0 : floorNames.indexOf(isOnFloor ? (first as 'domain') : 'program')
  const name = isOnFloor ? second : first
  const order: readonly string[] = floors[floorNames[floor]!] ?? []
  return { floor, name, folder: order.length === 0 ? 0 : order.indexOf(name) }
}

const house = source.filter((file) => file.startsWith('src/'))

test('three floors: every file stands on one, and imports go down only', () => {
  assert.deepEqual(
    house.filter((file) => placeOf(file).floor < 0 || placeOf(file).folder < 0),
    [],
    'stands nowhere',
  )
  const wrong = house.flatMap((file) => {
    const from = placeOf(file)
    return importsOf(file)
      .filter((name) => name.startsWith('src/'))
      .filter((name) => {
        const to = placeOf(name)
        return to.floor > from.floor || (to.floor === from.floor && to.folder > from.folder)
      })
      .map((name) => `${file} imports ${name}`)
  })
  assert.deepEqual(wrong, [])
})

test('the two consoles share what stands in staff/, and nothing else', () => {
  const wrong = house.flatMap((file) =>
    importsOf(file)
      .filter((name) => file.startsWith('src/surfaces/desk/') && name.startsWith('src/surfaces/console/'))
      .map((name) => `${file} imports ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('no file imports itself, directly or indirectly', () => {
  const known = new Map<string, boolean>()
  const circles: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (known.has(file)) return
    known.set(file, true)
    for (const name of importsOf(file)) if (source.includes(name)) walk(name, [...path, file])
  }
  for (const file of source) walk(file, [])
  assert.deepEqual(circles, [])
})

/** Pure files: no I/O, no clock, no randomness. A change of this list is one line in review. */
const pure = new Set(
  files(
    'src/platform/bounds.ts',
    'src/domain/money.ts',
    'src/domain/messages/*.ts',
    'src/platform/refusals.ts',
    'src/domain/approvals/{guard,proposal}.ts',
    'src/domain/audit/audit.ts',
    'src/surfaces/pay/bill/{bill,gost,payment-code,rows,ruler,true-type}.ts',
    'src/domain/callbacks/callback.ts',
    'src/domain/callbacks/delivery/{lane,retry-schedule}.ts',
    'src/surfaces/api/{examples,operation,refused-signature}.ts',
    'src/surfaces/api/*/openapi.ts',
    'src/surfaces/api/callbacks/records.ts',
    'src/domain/catalogue/{limit,offer,payment-type}.ts',
    'src/surfaces/console/**/{*-page,*-pages,words,rows}.ts',
    'src/domain/deposits/{address,decide,deposit,order,page-paths,payment-times,record,reference,reference-order,sent-request,shown}.ts',
    'src/surfaces/desk/**/{words,*-page,*-pages,*-pieces,*-values,filter,queue,rows}.ts',
    'src/surfaces/entrance/{pages,words}.ts',
    'src/surfaces/api/manual/{callbacks,explanations,guide,health-openapi,page,pieces,snippets}.ts',
    'src/domain/merchants/{api-key,brand,merchant}.ts',
    'src/surfaces/pay/{bill-block,brand-styles,pages,return-link,screen,status,view}.ts',
    'src/domain/people/{access,password-strength,person,session,time,totp}.ts',
    'src/surfaces/staff/{amount,console-page,console-words,filter-bar,frame,pages,words,workplaces}.ts',
    'src/surfaces/*/paths.ts',
    'src/surfaces/office/context.ts',
    'src/sections/{section,cells,states,paths}.ts',
    'src/domain/people/links/link.ts',
    'src/surfaces/staff/links/link-pages.ts',
    'src/platform/{allowed-address,body,fair-queue,foreign-text,growing-bytes,intl,list-page,network,own-text,paths,rate-limit,remembered,request-fields,same-site,schema,sum,text-pattern}.ts',
    'src/domain/refunds/refund.ts',
    'src/domain/reports/{csv,one-c-export,report,report-formats,report-rows}.ts',
    'src/domain/requisites/*.ts',
    'src/domain/rules/{customer-limit,listing}.ts',
    'src/domain/sandbox/{bank-time,record,busy/busy-plan}.ts',
    'src/surfaces/shop/{shop,shop-pages}.ts',
    'src/domain/statements/{entry,import-report,progress,totals,formats/*,writers/*}.ts',
    'src/domain/transfers/bank-text/*.ts',
    'src/domain/transfers/{channel,entry,facts-json,identity,matching,payer,payer-shapes,payment-times,purpose-references,push,source,taken,transfer,voice}.ts',
    'src/surfaces/web/*.ts',
    'src/surfaces/web/messages/*.ts',
    'src/surfaces/staff/sentences/*.ts',
    'sdk/{event-types,signature}.ts',
  ).filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      !/([/-]store|\/(queue-page|overview-page|bank-page|queue\/words|method-names|why-page|upload-pages|report-pieces|mapping-pieces|add-requisite|assets|candidate-cache|routes|send-page|send-static)|\.client)\.ts$/.test(
        file,
      ),
  ),
)
const pureModules = ['node:crypto', 'node:net', 'node:buffer', 'node:zlib', 'ipaddr.js', 'uqr']

test('a pure file imports only pure files', () => {
  const wrong = [...pure].flatMap((file) =>
    importsOf(file)
      .filter((name) => !pure.has(name) && !pureModules.includes(name))
      // What a section is: it names types of other floors, and runs nothing of them.
      .filter((_name) => file !== 'src/sections/section.ts' || !read(file).includes('import type'))
      .map((name) => `${file} imports ${name}`),
  )
  assert.deepEqual(wrong, [])
})

/** Lines that match, as `file:line`, outside the files that may. */
function linesMatching(pattern: RegExp, isAllowed: (file: string) => boolean, among = source): string[] {
  return among
    .filter((file) => !isAllowed(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
        .filter(({ line }) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
        .map(({ place }) => place),
    )
}

const inPlatform = (file: string) => file.startsWith('src/platform/')
/** A folder's SQL stands in store.ts; where that would hold two ideas, each further one has a file beside it: slot-store.ts. */
const isStore = (file: string) => /[/-]store\.ts$/.test(file)

/** What programs of merchants and banks read, or the log has: English. */
const spokenToPrograms =
  /^src\/domain\/(alarms|doctor|messages|catalogue\/limit|deposits\/(create-deposit|draft|order|record)|rules\/(customer-limit|listing)|sandbox\/(export-statement|fake-bank)|statements\/formats\/csv-mapping|transfers\/push)\b/

test('what the domain says to people is a message, never a sentence of its own', () => {
  const among = source.filter((file) => file.startsWith('src/domain/'))
  const sentence = /\b(detail|reason|problem|warning)\b[:=?\s]+['"`][A-Z]\S* \S+/
  assert.deepEqual(
    linesMatching(sentence, (file) => spokenToPrograms.test(file), among),
    [],
  )
})

test('SQL is written in stores, platform/ and migrations/ only, and never selects *', () => {
  assert.deepEqual(
    linesMatching(
      /\bsql`|\b(select|insert into|update|delete from) \w+.* (from|set|values|where)\b/,
      (file) => inPlatform(file) || isStore(file),
    ),
    [],
  )
  const everything = [...source, ...files('migrations/*.sql')]
  assert.deepEqual(
    linesMatching(/select\s+(\w+\.)?\*/i, () => false, everything),
    [],
  )
})

test('a store over 400 lines holds two ideas, and so does any other file over 500 but words', () => {
  const lines = (file: string) => read(file).split('\n').length - 1
  const isWords = (file: string) => /\/words(-\w+)?\.ts$/.test(file)
  assert.deepEqual(
    source.filter((file) => lines(file) > (isStore(file) ? 400 : 500) && !isWords(file)),
    [],
  )
})

test('the environment is read in config.ts only; clock and randomness in platform/clock.ts only', () => {
  const inSource = source.filter((file) => file.startsWith('src/'))
  assert.deepEqual(
    linesMatching(/process\.env/, (file) => file === 'src/config.ts', inSource),
    [],
  )
  // The manual prints code for merchants, and a page's script runs in a browser: they read other clocks.
  const mayAskMachine = (file: string) =>
    ['src/platform/clock.ts', 'src/surfaces/api/manual/snippets.ts'].includes(file) ||
    file.endsWith('.client.ts')
  const machine =
    /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|performance\.now|getRandomValues/
  assert.deepEqual(linesMatching(machine, mayAskMachine, inSource), [])
})

test('nothing of Node’s streams, sockets and servers is replaced: what it costs stays Node’s', () => {
  const replaced =
    /\.(_?read|_?write|push|pipe|emit|on) = |\.prototype(\.\w+|\[.*\])+ = |\(\w+(\.\w+)?\.prototype,|removeAllListeners\('(connection|request|data)'\)/
  assert.deepEqual(
    linesMatching(replaced, () => false),
    [],
  )
})

test('a client’s address is read in http.ts and for a bank’s networks; limits count networks', () => {
  const mayReadAddress = (file: string) =>
    ['src/platform/http.ts', 'src/surfaces/api/bank/routes.ts'].includes(file)
  assert.deepEqual(linesMatching(/request\.ips?\b|remoteAddress/, mayReadAddress), [])
})

test('a database is made in platform/db.ts only: no handle looks like one and does more', () => {
  assert.deepEqual(
    linesMatching(
      /\.\.\.(\w+\.)?\w*[dD]b\b|^\s*(async )?transaction[(:]/,
      (file) => file === 'src/platform/db.ts',
    ),
    [],
  )
})

test('deposits.state is changed by no statement outside deposits/store.ts', () => {
  assert.deepEqual(
    linesMatching(/update deposits|insert into deposits/, (file) => file === 'src/domain/deposits/store.ts'),
    [],
  )
})

for (const [name, isAllowed] of [
  ['pg', inPlatform],
  ['fastify', (file: string) => file === 'src/platform/http.ts' || file.endsWith('/routes.ts')],
  ['node:http', inPlatform],
  ['undici', (file: string) => /^src\/platform\/outbound(-connections)?\.ts$/.test(file)],
  ['ipaddr.js', (file: string) => file === 'src/platform/network.ts'],
  ['uqr', (file: string) => file === 'src/surfaces/web/qr.ts'],
  ['@resvg/resvg-js', (file: string) => file === 'src/platform/draw-thread.mjs'],
] as const) {
  test(`${name} is imported where it belongs only`, () => {
    assert.deepEqual(
      source.filter((file) => importsOf(file).includes(name) && !isAllowed(file)),
      [],
    )
  })
}

test('calls leave the machine from the delivery, its test call and the operator’s alarms only', () => {
  const isAllowed = (file: string) =>
    [
      ...['src/gateway.ts', 'src/domain/alarms/raise-alarms.ts'],
      // An act sends a test callback.
      ...[
        'src/sections/section.ts',
        'src/surfaces/command-line/section-commands.ts',
        'src/surfaces/desk/desk.ts',
      ],
    ].includes(file) || file.startsWith('src/domain/callbacks/delivery/')
  assert.deepEqual(
    source.filter((file) => importsOf(file).includes('src/platform/outbound.ts') && !isAllowed(file)),
    [],
  )
})

test('sdk/ imports nothing outside sdk/ but Node', () => {
  const wrong = source
    .filter((file) => file.startsWith('sdk/'))
    .flatMap((file) =>
      importsOf(file).filter((name) => !name.startsWith('sdk/') && !name.startsWith('node:')),
    )
  assert.deepEqual(wrong, [])
})

test('addresses are written where they are listed, and made from there', () => {
  const isAllowed = (file: string) =>
    /\/(paths|page-paths)\.ts$|\.client\.ts$/.test(file) || file.startsWith('sdk/')
  const written =
    /(?<!Path(\.route)?\()["'`}]\/(operator|console|api\/v1|pay|bill|join)\b|(?<!Path(\.route)?\()["'`]\/(account|home|sign-(in|out))\b/
  assert.deepEqual(linesMatching(written, isAllowed), [])
})

test('sentences, scripts of pages and the SDK name addresses that exist', () => {
  const routes = [...apiPath.routes, ...staffPath.routes].map((route) => route.replace(/:\w+/g, ':'))
  const naming = [...house, ...files('sdk/client.ts')].filter((file) => !file.endsWith('openapi.ts'))
  const wrong = naming.flatMap((file) =>
    [...read(file).matchAll(/\/(?:api\/v1|sign-in|account)\/(?:\$\{[^}]*\}|[\w/-])+/g)]
      .map(([address]) => address.replace(/\$\{[^}]*\}/g, ':'))
      .filter((address) => !routes.includes(address.replace(/:\w+/g, ':')))
      .map((address) => `${file} ${address}`),
  )
  assert.deepEqual(wrong, [])
})

test('raw markup has three entrances, and nothing writes markup or code from text', () => {
  const users = source.filter((file) => importsOf(file).includes('src/surfaces/web/raw.ts'))
  assert.ok(users.length <= 3, users.join(', '))
  const sinks =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(|\sstyle="|\son[a-z]+="/
  assert.deepEqual(
    linesMatching(sinks, (file) => file === 'src/surfaces/web/html.ts'),
    [],
  )
  // A console page made again is parsed in one place.
  assert.deepEqual(
    linesMatching(
      /DOMParser|createHTML|createPolicy/,
      (file) => file === 'src/surfaces/staff/console.client.ts',
    ),
    [],
  )
})

test('"webhook" is a word of the wire only', () => {
  const isAllowed = (file: string) =>
    file.startsWith('sdk/') || /^src\/(domain|surfaces\/api)\/callbacks\//.test(file)
  assert.deepEqual(
    linesMatching(/webhook(?!s\b.*librar)/i, isAllowed).filter(
      (place) => !place.startsWith('src/surfaces/api/manual/'),
    ),
    [],
  )
})

test('no enum, decorator or namespace; no file named by kind; no barrel but the SDK’s', () => {
  assert.deepEqual(
    linesMatching(/^\s*(export\s+)?(const\s+)?(enum|namespace)\s|^\s*@\w+\(/, () => false),
    [],
  )
  const kinds = /(^|\/)(utils?|helpers?|common|misc|types|manager|service)\.ts$/
  const wrong = source.filter(
    (file) => kinds.test(file) || (file.endsWith('index.ts') && file !== 'sdk/index.ts'),
  )
  assert.deepEqual(wrong, [])
})

test('every refusal code is thrown somewhere and tested somewhere', () => {
  const thrown = source
    .filter((file) => file !== 'src/platform/refusals.ts')
    .map(read)
    .join('\n')
  const tested = tests
    .filter((file) => file !== 'test/architecture.test.ts')
    .map(read)
    .join('\n')
  const mentions = (text: string, code: string) => text.includes(`'${code}'`) || text.includes(`"${code}"`)
  const codes = Object.keys(refusals)
  assert.deepEqual(
    codes.filter((code) => !mentions(thrown, code)),
    [],
    'never thrown',
  )
  assert.deepEqual(
    codes.filter((code) => !mentions(tested, code)),
    [],
    'never tested',
  )
})

test('every package is pinned to one version, and the lockfile names no download address', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
  const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  assert.deepEqual(
    versions.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version))),
    [],
  )
  assert.doesNotMatch(read('package-lock.json'), /"resolved": "http/)
})

test('npm test runs every test file, each in one group', () => {
  const grouped = files('test/groups/*.ts').flatMap((group) =>
    [...read(group).matchAll(/'([^']+\.test\.ts)'/g)].flatMap(([, pattern]) => files(pattern!)),
  )
  assert.deepEqual(grouped.sort(), files('{src,sdk,test}/**/*.test.ts'))
})

test('the SQL names no schema; every table says in a comment what it is for, and every constraint has a name', () => {
  for (const file of [...files('migrations/*.sql'), ...source])
    assert.doesNotMatch(read(file), /(?:from|join|into|update|table|on) inlet\./, file)
  for (const file of files('migrations/*.sql'))
    assert.doesNotMatch(`\n${read(file)}`, /\n(?!--)[^\n]*\ncreate (unlogged )?table/, file)
  const ofConstraint = /^ {2}.*\b(primary key|foreign key|references \w+ \(|unique (nulls|\()|check \()/
  for (const file of files('migrations/*.sql'))
    for (const line of read(file)
      .split('\n')
      .filter((line) => ofConstraint.test(line)))
      assert.match(line, /\bconstraint \w+/, `${file}: ${line}`)
})
