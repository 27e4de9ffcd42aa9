/** English. `canceled` has one l, as the state of the API has. */
import { pluralOf } from './plural.ts'
import type { Messages } from './ru.ts'

const minutes = pluralOf('en', { one: 'minute', other: 'minutes' })

export const en: Messages = {
  ownName: 'English',
  languages: 'Language',

  title: 'Pay by bank transfer',
  testMode: 'Test mode: do not send money',
  order: 'Order',
  exactly: 'Transfer exactly this amount, in\u00a0one\u00a0payment',
  until: (time) => `Pay by ${time}`,
  left: 'Time left',
  minutesLeft: (count) => `${count} ${minutes(count)} left.`,

  copyOf: (label) => `Copy: ${label}`,
  copied: 'Copied',
  copyFailed: 'Selected. Copy it manually',

  rows: {
    amount: 'Amount',
    card: 'Card number',
    phone: 'Phone number',
    account: 'Account number',
    iban: 'Account number (IBAN)',
    recipient: 'Recipient',
    bank: 'Bank',
    bic: 'BIC',
    mfo: 'MFO',
    corrAccount: 'Corr. account',
    taxId: 'Tax number (INN)',
    taxIdKz: 'BIN/IIN',
    kpp: 'KPP',
    kbe: 'KBE',
    knp: 'KNP',
    purpose: 'Payment purpose',
    reference: 'Reference for support',
    received: 'Received',
    paidAt: 'Time',
  },
  keepPurpose: 'Do not change this text: we identify your payment by it.',

  openBank: 'Open bank app',
  saveBill: 'Save payment details',
  scanWithBank: 'Scan in your bank app',
  continueOnPhone: 'Continue on your phone',
  bankCode: (amount, name) => `QR code for the transfer: ${amount}, recipient ${name}`,
  pageCode: 'QR code with the address of this page',

  howTo: 'How to pay',
  steps: {
    card: 'Open your bank app and choose a transfer by card number.',
    phone: (bank) =>
      `Open your bank app and choose a transfer by phone number (SBP), recipient’s bank: ${bank}.`,
    account: 'Open your bank app and choose a transfer by account details.',
    check: 'Enter the details and exactly this amount. Check the recipient’s name.',
    claim: 'After the transfer, come back here and press “I have paid”.',
  },
  questions: 'Questions',
  closeAsk: 'What if I close this page?',
  closeAnswer: 'Nothing is lost. The link keeps working, and we will still see your transfer.',
  lateAsk: 'What if I pay later?',
  lateAnswer: (time) => `We accept the transfer until ${time}, but checking it may take longer.`,
  twiceAsk: 'What if I pay twice?',
  twiceAnswer: 'Please pay only once. Ask the shop to refund the extra payment.',

  safety: {
    compareName: 'Your bank will show this name. If it shows a different one, stop.',
    transferOnly: 'You make a transfer in your own bank. This is not a card payment.',
    neverAsk: 'We never ask for your CVV, PIN or SMS codes.',
    ourAddress: 'The address of this page:',
  },

  claim: 'I have paid',
  refresh: 'Refresh status',
  giveUp: 'Cancel payment',
  help: 'Help',
  helpText: 'For questions about your order or payment, contact the shop and quote this reference:',
  toShop: 'Return to the shop',
  returnsIn: 'You will return to the shop in',
  seconds: 's',
  stay: 'Stay here',
  print: 'Print',

  choose: {
    head: 'Choose how to pay',
    one: 'Payment method',
    until: (time) => `Choose by ${time}`,
    next: 'Continue',
    unavailable: 'Not available right now',
    ranOut: 'This method is not available right now. Choose another one.',
    none: 'No payment method is available right now. Refresh the page in a few minutes.',
    pickOne: 'Choose a payment method.',
    needs: {
      card: 'You need a bank app with transfers by card number.',
      phone: 'You need a bank app with transfers by phone number.',
      account: 'You need a bank app with transfers by account details.',
    },
  },
  methods: {
    any_bank: 'To a card, any bank',
    sbp: 'SBP, by phone number',
    bankx: 'To a card, Bank X',
    account_number: 'To a bank account',
  },

  status: {
    choose: 'Awaiting your choice',
    pay: 'Awaiting payment',
    checking: 'Checking the transfer',
    short: 'Part of the amount is missing',
    success: 'Payment received',
    rejected: 'Payment rejected',
    expired: 'The time to pay has expired',
    closed: 'The time to pay has expired',
    canceled: 'The shop canceled the payment',
    reversed: 'The bank reversed the payment',
  },
  progress: { sent: 'Sent', received: 'Received', confirmed: 'Confirmed' },
  checking: {
    looking: (amount) =>
      `We are looking for a transfer of ${amount}. It takes from a few minutes to one business day, depending on the bank.`,
    review: 'The money has arrived. The payment is being checked manually, which may take longer.',
    part: (received, amount) =>
      `Received ${received} of ${amount}. Do not send more yet: the shop or the operator will decide what happens next.`,
    mayClose: 'You can close this page.',
  },
  short: {
    text: (received, amount) => `Received ${received} of ${amount}.`,
    same: 'Use the same details and purpose.',
    samePayer: 'Send it from the same card or account as before.',
    exactly: 'Transfer exactly the missing amount',
  },
  success: {
    text: 'Thank you. We are notifying the shop.',
    overpaid: 'You paid more than needed. Ask the shop to refund the difference.',
    late: 'The transfer arrived after the deadline, but it was accepted.',
    receipt: 'Receipt',
  },
  rejected: {
    byCustomer: 'You canceled this payment',
    byOther: 'This payment was not accepted. Ask the shop for the reason.',
    money:
      'If you have already sent the money, it is not lost: contact the shop and quote the reference on this page.',
  },
  expired: {
    sent: (time) => `Already sent? Do not send again: we accept the transfer until ${time}.`,
    notSent: 'Not yet? Do not send it: start again in the shop.',
    claimed: 'Thank you, we are looking for your transfer.',
  },
  closed: {
    text: 'This link can no longer be used to pay.',
    money: 'If you sent the money, contact the shop and quote the reference on this page.',
    unchosen: 'No payment method was chosen. Start again in the shop.',
  },
  canceled: { text: 'Do not send money using this link.' },
  reversed: { text: 'The bank returned the money to the sender. Contact the shop.' },

  giveUpPage: {
    head: 'Cancel this payment?',
    text: 'The payment will be closed and can no longer be made. If you have already sent the transfer, do not cancel.',
    yes: 'Yes, cancel',
    no: 'No, go back to payment',
  },
  gone: {
    head: 'Page not found',
    text: 'The link is incomplete or incorrect. Open it again from the shop.',
  },
  failed: {
    crossSite: {
      head: 'Action not accepted',
      text: 'It came from another website, so nothing has changed. Go back to the payment and try again.',
    },
    tooMany: { head: 'Too many attempts', text: 'Wait a minute, then refresh the page.' },
    other: {
      head: 'Something went wrong',
      text: 'Nothing has changed. Go back to the payment and try again.',
    },
    fault: { head: 'Error on our side', text: 'Refresh the page in a minute.' },
    money: 'If you have already sent the money, it is not lost.',
    back: 'Back to the payment',
  },

  panel: {
    head: 'Test bank',
    text: 'Play the bank: what arrived in the account?',
    exact: 'Exact',
    less: 'Less',
    more: 'More',
    late: 'Late',
    twice: 'Twice',
    reject: 'Reject',
  },

  bill: {
    title: (amount, shop) => `Bill: ${amount}, ${shop}`,
    until: (time) => `by ${time}`,
    test: 'TEST',
    leads: {
      choose: 'No payment method has been chosen yet.',
      pay: 'Transfer exactly this amount, in one payment,',
      expired: 'The time to pay has expired. Do not transfer.',
      closed: 'The time to pay has expired. Do not transfer.',
      success: 'Payment received.',
      rejected: 'Payment rejected. Do not transfer.',
      canceled: 'The shop canceled the payment. Do not transfer.',
      reversed: 'The bank reversed the payment.',
    },
    stamps: {
      expired: 'EXPIRED',
      closed: 'EXPIRED',
      success: 'PAID',
      rejected: 'REJECTED',
      canceled: 'CANCELED',
      reversed: 'REVERSED',
    },
  },

  cities: { RUB: 'Moscow', UZS: 'Tashkent', KZT: 'Almaty', TJS: 'Dushanbe' },
  signs: { RUB: '₽', UZS: 'soʻm', KZT: '₸', TJS: 'somoni' },
}
