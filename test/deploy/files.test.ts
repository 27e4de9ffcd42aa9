/** What can be said of deploy/ without any of its programs: names, versions and settings agree with the rest of the repository. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { bounds } from '../../src/platform/bounds.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')
const deploy = (file: string) => read(`deploy/${file}`)
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: { start: string } }

test('every setting that deploy/ names is one that Inlet reads', () => {
  const known = read('src/config.ts')
  const ofProxy = ['INLET_DOMAIN', 'INLET_UPSTREAMS', 'INLET_TLS']
  for (const file of ['Containerfile', 'compose.yaml', 'inlet.service', 'nginx.conf', 'Caddyfile']) {
    const names = deploy(file).match(/\b(INLET_[A-Z_]+|DATABASE_URL_FILE|DATABASE_URL)\b/g) ?? []
    const unknown = names.filter(
      (name) => !known.includes(`'${name}'`) && !known.includes(`'${name.replace(/_FILE$/, '')}'`),
    )
    assert.deepEqual(
      unknown.filter((name) => !ofProxy.includes(name)),
      [],
      file,
    )
  }
})

test('versions, Node and how it is started are those of package.json', () => {
  const containerfile = deploy('Containerfile')
  assert.match(containerfile, new RegExp(`^ARG VERSION=${manifest.version.replaceAll('.', '\\.')}$`, 'm'))
  assert.ok(deploy('compose.yaml').includes(`image: inlet:${manifest.version}\n`))
  const [, base] = /^ARG BASE=.*\/node:(\d+)-/m.exec(containerfile) ?? []
  const [, least] = /leastNode = '(\d+)\./.exec(read('bin/node.mjs')) ?? []
  assert.equal(base, least)
  const options = manifest.scripts.start.match(/--max-\S+/g)!
  for (const option of options) {
    assert.ok(containerfile.includes(`"${option}"`), option)
    // What is compiled under other flags is not taken.
    assert.match(containerfile, new RegExp(`^RUN node .*${option} .*bin/compile.mjs$`, 'm'))
    assert.ok(deploy('inlet.service').includes(` ${option} `), option)
  }
  const [memory] = /MALLOC_ARENA_MAX=.*/.exec(containerfile)!
  assert.ok(deploy('inlet.service').includes(`Environment=${memory}\n`))
})

test('the image gets only the named files of a checkout, and all files that the program reads', () => {
  const [, ...lines] = read('.containerignore').trim().split('\n')
  assert.equal(lines[0], '*')
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  assert.deepEqual(
    kept.filter((path) => !existsSync(resolve(root, path))),
    [],
  )
  for (const path of [
    'bin',
    'src',
    'sdk',
    'migrations',
    'docs/merchants.md',
    'docs/operators.md',
    'docs/screenshots',
  ])
    assert.ok(kept.includes(path), path)
})

test('texts in the lists of compose.yaml contain no colon with a space, which would make them mappings', () => {
  const items = [...deploy('compose.yaml').matchAll(/^\s+- (.*)$/gm)].map(([, item]) => item!)
  assert.ok(items.length > 5)
  const isMapping = (item: string) => /^[^"'[{].*: /.test(item) && !/^[\w-]+: /.test(item)
  assert.deepEqual(items.filter(isMapping), [])
  const checks = [...deploy('compose.yaml').matchAll(/^\s+test: (.*)$/gm)].map(([, words]) => words!)
  assert.equal(checks.length, 2)
  for (const words of checks) assert.equal(JSON.parse(words)[0], 'CMD')
})

test('the proxies wait longer than Inlet takes to answer, and close idle connections before Inlet does', () => {
  const [, nginxIdle] = /upstream inlet \{.*?keepalive_timeout (\d+)s;/s.exec(deploy('nginx.conf')) ?? []
  const [, caddyIdle] = /\tkeepalive (\d+)s\n/.exec(deploy('Caddyfile')) ?? []
  for (const seconds of [nginxIdle, caddyIdle]) assert.ok(Number(seconds) * 1000 < bounds.keepAliveTimeoutMs)
  const waits = [...deploy('nginx.conf').matchAll(/proxy_read_timeout (\d+)(s|m);/g)]
  assert.equal(waits.length, 2)
  for (const [, count, unit] of waits)
    assert.ok(Number(count) * (unit === 'm' ? 60_000 : 1000) > bounds.streamHeartbeatMs)
  const megabytes = bounds.uploadBytes / 1024 / 1024
  assert.ok(deploy('nginx.conf').includes(`client_max_body_size ${megabytes + 1}m;`))
})

test('the logs of the proxies hold no address that is a secret', () => {
  const nginx = deploy('nginx.conf')
  const servers = nginx.split(/^server \{$/m).slice(1)
  assert.equal(servers.length, 2)
  for (const server of servers) {
    assert.deepEqual(server.match(/access_log .*;/g), ['access_log /var/log/nginx/inlet.log inlet;'])
    // Below "crit" nginx quotes the whole request.
    assert.deepEqual(server.match(/error_log .*;/g), ['error_log /var/log/nginx/inlet-error.log crit;'])
  }
  const [format = ''] = /^log_format inlet [^;]*;/m.exec(nginx) ?? []
  assert.ok(format.includes('$inlet_path'))
  assert.doesNotMatch(format, /\$(request|request_uri|uri|args|query_string|http_\w+|document_uri)\b/)
  const [, map] = /^map \$uri \$inlet_path \{(.*?)^\}/ms.exec(nginx) ?? []
  const rules = [...map!.matchAll(/^ +~(\S+) +(\S+);$/gm)].map(([, pattern, value]) => ({
    pattern: new RegExp(pattern!),
    value: value!,
  }))
  assert.equal(rules.length, 2)
  const logged = (path: string) => {
    const rule = rules.find(({ pattern }) => pattern.test(path))
    return rule?.value === '$uri' ? path : (rule?.pattern.exec(path)?.groups?.inlet_first ?? '-')
  }
  for (const [path, expected] of [
    ['/pay/s3cret', '/pay'],
    ['/pay/s3cret/status', '/pay'],
    ['/bill/s3cret.png', '/bill'],
    ['/join/s3cret/accept', '/join'],
    ['/console/0/keys', '/console/0/keys'],
    ['/api/v1/limits', '/api/v1/limits'],
  ] as const)
    assert.equal(logged(path), expected, path)
  // Caddy writes no access log unless it is told to; its errors quote the request.
  const caddy = deploy('Caddyfile')
  assert.deepEqual(caddy.match(/^\s*log\b.*$/gm), ['\tlog {'])
  assert.match(
    caddy,
    /\tlog \{\n\t\tformat filter \{\n\t\t\twrap json\n\t\t\tfields \{[^}]*request>uri delete\n/,
  )
})

test('one command makes every secret that the compose file names, once, and Inlet takes them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-secrets-'))
  try {
    mkdirSync(join(folder, 'deploy'))
    cpSync(resolve(root, 'deploy/make-secrets.sh'), join(folder, 'deploy/make-secrets.sh'))
    const make = () => spawnSync('sh', ['deploy/make-secrets.sh', 'pay.example.com'], { cwd: folder })
    assert.equal(make().status, 0)
    const secret = (name: string) => join(folder, 'deploy/secrets', name)
    const named = [...deploy('compose.yaml').matchAll(/file: \.\/secrets\/(\S+)/g)].map(([, name]) => name!)
    assert.equal(named.length, 5)
    const texts = named.map((name) => readFileSync(secret(name), 'utf8'))
    assert.equal(make().status, 0)
    assert.deepEqual(
      named.map((name) => readFileSync(secret(name), 'utf8')),
      texts,
    )
    assert.equal(statSync(join(folder, 'deploy/secrets')).mode & 0o777, 0o700)
    const config = readConfig({
      NODE_ENV: 'production',
      INLET_PUBLIC_URL: 'https://pay.example.com',
      INLET_MASTER_KEY: readFileSync(secret('master.key'), 'utf8'),
      DATABASE_URL_FILE: secret('runtime-url'),
      INLET_OWNER_DATABASE_URL_FILE: secret('owner-url'),
    })
    assert.match(config.databaseUrl!, /^postgres:\/\/inlet:[0-9a-f]{48}@postgres:5432\/inlet$/)
    assert.match(config.ownerDatabaseUrl!, /^postgres:\/\/inlet_owner:[0-9a-f]{48}@postgres:5432\/inlet$/)
    assert.equal(readFileSync(join(folder, 'deploy/.env'), 'utf8'), 'INLET_DOMAIN=pay.example.com\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
