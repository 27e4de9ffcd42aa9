/** The words of what a person can do with one transfer beyond matching it: splits, the same payment, undo; and of whole days. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  more: 'Several deposits or transfers, the same payment',
  shares: 'Deposits and amounts',
  sharesHint:
    'One line per deposit: its ID and its share, such as “0197…c3 1500.50”. Together the whole amount.',
  sharesWrong: 'Deposits and amounts: one line per deposit, its ID and its share, such as 1500.50.',
  split: 'Split',
  splitText: 'Each deposit gets its share. All of one merchant, all of it or nothing.',
  with: 'Match together with these transfers (IDs)',
  withHint: 'For “Match”: this transfer and these go to the one deposit chosen above, all or none.',
  withWrong: 'Transfers to match together: enter their IDs, separated by spaces.',
  same: 'The same payment',
  sameText:
    'The other transfer remains, with its deposit and the reports of both. What this one paid is undone.',
  other: 'The same payment as (transfer ID)',
  otherHint: 'A transfer of this account with this amount.',
  undo: 'Undo the last decision',
  undoText: 'The transfer is what it was before; what the matcher made of it since is undone too.',
  revoke: 'The bank took it back',
  revokeText:
    'What it paid is undone; a deposit without enough money is reversed, and its merchant gets a callback.',
  aboveOne:
    'Above the sum that one person may decide alone, this becomes a request that a second person approves.',
  wholeDay: 'Pair the whole day',
  day: 'Day',
  dayTitle: (account: string) => `Pair a day: ${account}`,
  dayText:
    'Left: rows on hold that a file has booked on this day. Right: what was told early of the same amounts and never booked. Each line is one pair: the early payment remains, with its deposit, and is booked.',
  held: 'On hold, booked',
  early: 'Told early',
  pairs: 'Pairs',
  left: 'Without a partner',
  leftText: 'Decide them one by one, on their own pages.',
  noPairs: 'Nothing to pair',
  noPairsText: 'No held row of this day has the amount of a payment that was told early and not booked.',
  pair: (count: number) => `Pair all ${count}`,
  heldDays: 'Days with rows on hold',
  rowsOn: (count: number) => `${count} on hold`,
  parked: 'Parked rows',
  parkedText:
    'Booked rows of days that no file has closed. They count when a file closes their day. If you cannot wait, take them now: they are matched like early reports, and that file pairs them.',
  noParked: 'No parked rows',
  noParkedText: 'Rows wait here when their file does not close their day.',
  parkedCut: (count: number) => `Showing the oldest ${count}.`,
  takeOne: 'Take',
  takeDay: (day: string) => `Take all of ${day}`,
  takeWhich: 'Choose what to take: one row, or a day.',
  names: 'References',
  allParked: 'All parked rows',
}

type ActWords = typeof en

const ru: ActWords = {
  ...deskWords.ru,
  more: 'Несколько депозитов или поступлений, тот же платёж',
  shares: 'Депозиты и суммы',
  sharesHint: 'Строка на депозит: его ID и доля, например «0197…c3 1500,50». Вместе — вся сумма.',
  sharesWrong: 'Депозиты и суммы: строка на депозит, его ID и доля, например 1500,50.',
  split: 'Разделить',
  splitText: 'Каждый депозит получит свою долю. Все депозиты одного мерчанта; целиком или никак.',
  with: 'Сопоставить вместе с этими поступлениями (ID)',
  withHint:
    'Для кнопки «Сопоставить»: это поступление и указанные уйдут в один депозит, выбранный выше, — все или ни одно.',
  withWrong: 'Поступления вместе с этим: укажите их ID через пробел.',
  same: 'Тот же платёж',
  sameText:
    'Другое поступление останется, со своим депозитом и сообщениями об обоих. Что оплатило это, будет отменено.',
  other: 'Тот же платёж, что и (ID поступления)',
  otherHint: 'Поступление на этот же счёт и на эту же сумму.',
  undo: 'Отменить последнее решение',
  undoText: 'Поступление станет таким, каким было; отменится и то, что с тех пор сделало сопоставление.',
  revoke: 'Банк забрал деньги',
  revokeText:
    'Что оно оплатило, будет отменено; депозит, которому не хватит денег, станет возвращённым, мерчант получит колбэк.',
  aboveOne: 'Если сумма больше той, что один сотрудник решает сам, это станет запросом на согласование.',
  wholeDay: 'Соединить весь день',
  day: 'День',
  dayTitle: (account) => `Соединить день: ${account}`,
  dayText:
    'Слева — удержанные строки, которые файл провёл в этот день. Справа — о чём на те же суммы сообщили заранее и что не проведено. Каждая строка — пара: остаётся раннее поступление со своим депозитом и становится проведённым.',
  held: 'Удержано, проведено',
  early: 'Сообщено заранее',
  pairs: 'Пары',
  left: 'Без пары',
  leftText: 'Решите по каждому на его странице.',
  noPairs: 'Соединять нечего',
  noPairsText:
    'Ни одна удержанная строка этого дня не совпадает по сумме с тем, о чём сообщили заранее и что не проведено.',
  pair: (count) => `Соединить все: ${count}`,
  heldDays: 'Дни с удержанными строками',
  rowsOn: (count) => `удержано: ${count}`,
  parked: 'Строки в ожидании',
  parkedText:
    'Проведённые строки за дни, которые не закрыл ни один файл. Они будут учтены, когда файл закроет их день. Если ждать нельзя, примите их сейчас: они сопоставятся как ранние сообщения, а тот файл их соединит.',
  noParked: 'Строк в ожидании нет',
  noParkedText: 'Строки ждут здесь, если их файл не закрывает их день.',
  parkedCut: (count) => `Показаны самые старые: ${count}.`,
  takeOne: 'Принять',
  takeDay: (day) => `Принять все за ${day}`,
  takeWhich: 'Выберите, что принять: одну строку или день.',
  names: 'Номера депозитов',
  allParked: 'Все строки в ожидании',
}

export const actWords = { en, ru } as const
