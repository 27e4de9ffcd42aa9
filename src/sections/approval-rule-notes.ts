/** What was changed in the last day about the rules of approval and the people of the desk, so that nobody overlooks it. */
import { readApprovalRuleActs } from '../domain/alarms/store.ts'
import type { Context, Part } from './section.ts'

export async function approvalRuleNotes({ db }: Pick<Context, 'db'>): Promise<Part[]> {
  const { length } = await readApprovalRuleActs(db)
  if (length === 0) return []
  return [
    {
      ...{ is: 'note', tone: 'warn' },
      text: [
        `Changes to approval rules, access or bank sources in the last 24 hours: ${length}.`,
        `Изменений в правилах согласования, доступе и источниках данных за 24 часа: ${length}.`,
      ],
      link: { to: '/audit', chosen: { guard: 'on' }, text: ['Open audit log', 'Открыть журнал'] },
    },
  ]
}
