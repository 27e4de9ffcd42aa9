import { createDeposit, readDeposit, readEvents, sandboxTransfer } from './generated/hey-api'
import { client } from './generated/hey-api/client.gen'
import { order, signedFetch, tell } from './shop'

async function main(): Promise<void> {
  client.setConfig({ fetch: signedFetch })
  const made = await createDeposit({ body: order })
  if (!made.data) throw new Error(made.error.detail)
  const { id, amount_cents } = made.data
  const paid = await sandboxTransfer({ body: { deposit: id, cents: amount_cents } })
  const read = await readDeposit({ path: { id } })
  const list = await readEvents({ query: { after: 0 } })
  const event = list.data?.events.find(({ data }) => data.id === id)
  tell(amount_cents, paid.data?.transfer.cents, read.data?.received_cents, event?.data.amount_cents)
}

void main()
