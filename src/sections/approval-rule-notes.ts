/** What was changed in the last day about the rules of approval and the people of the desk, so that nobody overlooks it. */
import { readApprovalRuleActs } from '../domain/alarms/store.ts'
import type { Context, Part, Two } from './section.ts'

export const approvalRuleNote = (count: number): { text: Two; link: Two } => ({
  text: [
    `Changes to approval rules, access or bank sources in the last 24 hours: ${count}.`,
    `Изменений в правилах согласования, доступе и источниках данных за 24 часа: ${count}.`,
  ],
  link: ['Open audit log', 'Открыть журнал'],
})

export async function approvalRuleNotes({ db }: Pick<Context, 'db'>): Promise<Part[]> {
  const { length } = await readApprovalRuleActs(db)
  if (length === 0) return []
  const { text, link } = approvalRuleNote(length)
  return [{ is: 'note', tone: 'warn', text, link: { to: '/audit', chosen: { guard: 'on' }, text: link } }]
}
