/** Takes the snapshot of a requisite that the customer is shown, when the deposit gets it. */
import type { Candidate } from '../requisites/choice.ts'
import type { Shown } from './deposit.ts'
import type { Reference } from './reference.ts'

/** A detail that the requisite does not have is absent, not empty. */
export function shownOf(requisite: Candidate, reference: Reference): Shown {
  const { corrAccount, taxId, kpp, kbe, knp, link } = requisite
  return {
    kind: requisite.kind,
    number: requisite.number,
    name: requisite.holder,
    bank_name: requisite.bankName,
    seller: requisite.seller,
    ...(requisite.carriesReference && {
      bic: requisite.bic ?? '',
      payment_reason: `Пополнение ${reference}`,
    }),
    ...(corrAccount && { corr_account: corrAccount }),
    ...(taxId && { tax_id: taxId }),
    ...(kpp && { kpp }),
    ...(kbe && { kbe }),
    ...(knp && { knp }),
    ...(link && { link }),
  }
}
