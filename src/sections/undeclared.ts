/** Requests of kinds that no section declares yet: what they are called, what they ask for, and how they are decided. */
import { decideProposal } from '../domain/approvals/decide-proposal.ts'
import type { ActRequest } from '../domain/approvals/proposal.ts'
import { foreign } from './cells.ts'
import type { DecideRequest } from './decide-request.ts'
import type { Acted, Cell, Context, Section, Two } from './section.ts'

export const isDeclared = ({ kind }: Pick<ActRequest, 'kind'>): boolean => kind.includes('.')

const names: Readonly<Record<string, Two>> = {
  requisite_add: ['Add a requisite', 'Добавить реквизит'],
  requisite_on: ['Turn on a requisite', 'Включить реквизит'],
  requisite_limits: ['Loosen requisite limits', 'Смягчить лимиты реквизита'],
  account_limits: ['Raise account limits', 'Повысить лимиты счёта'],
  account_matching: ['Allow matching by amount only', 'Разрешить сопоставление только по сумме'],
  account_number: ['Set the account number on statements', 'Задать номер счёта в выписках'],
  confirm: ['Confirm a deposit manually', 'Подтвердить депозит вручную'],
  match: ['Match a transfer manually', 'Сопоставить поступление вручную'],
  split: ['Split a transfer manually', 'Разделить поступление вручную'],
  match_several: ['Match several transfers manually', 'Сопоставить несколько поступлений вручную'],
  statement_undo: ['Undo a statement import', 'Отменить загрузку выписки'],
  source_add: ['Add a bank source', 'Добавить источник данных'],
  source_account: ['Allow a bank source one more account', 'Разрешить источнику данных ещё один счёт'],
  source_networks: ['Allow a bank source more networks', 'Разрешить источнику данных другие сети'],
  source_enable: ['Turn on a bank source', 'Включить источник данных'],
  account_voice: [
    'Change which source counts for an account',
    'Сменить источник, по которому считается счёт',
  ],
}
/** A declared kind is named by its act. */
export function requestName(sections: readonly Section[], kind: string): Two {
  const [one, name = ''] = kind.split('.')
  const section = sections.find((section) => section.one === one)
  const act = section?.acts[name] ?? section?.sectionActs?.[name]
  return act?.name ?? names[kind] ?? [kind, kind]
}

/** Every value that is asked for, by its name. */
export const undeclaredRows = ({ asked }: ActRequest, under = ''): Cell[][] =>
  Object.entries(asked).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? undeclaredRows({ asked: value } as ActRequest, `${under}${name}.`)
      : [
          [
            foreign(`${under}${name}`),
            null,
            foreign(typeof value === 'string' ? value : JSON.stringify(value)),
          ],
        ],
  )

export async function decideUndeclared(context: Context, asked: DecideRequest): Promise<Acted> {
  context.decided?.(await decideProposal(context, asked))
  return { isUnchanged: true }
}
