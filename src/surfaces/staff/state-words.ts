/** Names of deposit and transfer states and labels, for both consoles in both languages. */
import type { DepositState, Label } from '../../domain/deposits/deposit.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'
import { inLanguage, type Two } from '../../sections/section.ts'
import { depositStateWords, labelWords, transferStateWords } from '../../sections/states.ts'

type StateWords = {
  depositStates: Record<DepositState, string>
  transferStates: Record<TransferState, string>
  labels: Record<Label, string>
}

const namesIn = <Name extends string>(
  known: Readonly<Record<Name, readonly [Two, unknown]>>,
  language: ConsoleLanguage,
) =>
  Object.fromEntries(
    (Object.entries(known) as [Name, readonly [Two, unknown]][]).map(([name, [words]]) => [
      name,
      inLanguage(words, language),
    ]),
  ) as Record<Name, string>

const wordsIn = (language: ConsoleLanguage): StateWords => ({
  depositStates: namesIn(depositStateWords, language),
  transferStates: namesIn(transferStateWords, language),
  labels: namesIn(labelWords, language),
})

export const stateWords = { en: wordsIn('en'), ru: wordsIn('ru') } as const
