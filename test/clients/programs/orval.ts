import { createDeposit, readDeposit, readEvents, sandboxTransfer } from './generated/orval'
import { order, signedFetch, tell } from './shop'

async function main(): Promise<void> {
  globalThis.fetch = signedFetch
  const made = await createDeposit(order)
  if (made.status !== 201) throw new Error(JSON.stringify(made.data))
  const { id, amount_cents } = made.data
  const paid = await sandboxTransfer({ deposit: id, cents: amount_cents })
  const read = await readDeposit(id)
  const list = await readEvents({ after: 0 })
  if (paid.status !== 201 || read.status !== 200 || list.status !== 200) throw new Error('refused')
  const event = list.data.events.find(({ data }) => data.id === id)
  tell(amount_cents, paid.data.transfer.cents, read.data.received_cents, event?.data.amount_cents)
}

void main()
