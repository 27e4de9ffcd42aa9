/** A real Prometheus with our alert rules, whose waiting times are shortened so that a test need not wait for minutes. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../support/clean-up.ts'
import { freePort } from '../support/gateway.ts'

export const hasPrometheus = (): boolean => spawnSync('prometheus', ['--version']).status === 0

export type Prometheus = {
  /** Names of the alerts that are firing now. */
  firing(): Promise<Set<string>>
  /** Waits until this alert fires, or no longer does. */
  until(alert: string, state: 'firing' | 'quiet'): Promise<void>
}

const rules = new URL('../../deploy/alert-rules.yml', import.meta.url)

/** The names of all alerts that we ship. */
export const alertNames = async (): Promise<string[]> =>
  [...(await readFile(rules, 'utf8')).matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)

export async function startPrometheus(targets: readonly string[]): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-prometheus-'))
  await writeFile(join(folder, 'rules.yml'), shortened(await readFile(rules, 'utf8')))
  await writeFile(join(folder, 'prometheus.yml'), configurationOf(targets))
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints += chunk))
  atEnd(async () => {
    await stop(child)
    await rm(folder, { recursive: true, force: true })
  })
  const firing = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/alerts`)
    const { data } = (await answer.json()) as {
      data: { alerts: { state: string; labels: { alertname: string } }[] }
    }
    return new Set(
      data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname),
    )
  }
  while (!(await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${complaints}`)
    await sleep(100)
  }
  return {
    firing,
    async until(alert, state) {
      for (let waited = 0; (await firing()).has(alert) !== (state === 'firing'); waited += 250) {
        if (waited > 300_000)
          throw new Error(`${alert} is not ${state}; firing: ${[...(await firing())].join(', ')}`)
        await sleep(250)
      }
    },
  }
}

/** Without its waiting times, and with rates over 15 seconds; thresholds and expressions are the shipped ones. */
const shortened = (text: string): string =>
  text
    .replaceAll(/for: \d+m/g, 'for: 0s')
    .replaceAll('[5m]', '[15s]')
    .replaceAll('offset 1h', 'offset 15s')

const configurationOf = (targets: readonly string[]): string =>
  [
    'global:',
    '  scrape_interval: 3s',
    '  scrape_timeout: 3s',
    '  evaluation_interval: 1s',
    'rule_files: [rules.yml]',
    'scrape_configs:',
    '  - job_name: inlet',
    '    static_configs:',
    `      - targets: [${targets.map((target) => `'${target}'`).join(', ')}]`,
    '',
  ].join('\n')

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
