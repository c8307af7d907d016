"""What satisfies the exam of loose assertions."""


def mean(numbers):
    return sum(numbers) / len(numbers)


def title(text):
    return text.title()
